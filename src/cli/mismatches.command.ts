import { type Command, InvalidArgumentError } from 'commander';

import type { AmountMismatch } from '../modules/ledger/mismatches.store';
import { resolutionCommand } from '../modules/ledger/resolution-command';
import { exitCodes } from './exit-codes';
import { act, type ActOptions, look } from './operator';
import { actCommand, answer, lookCommand, transactionIdArgument } from './options';
import { type Columns, printJson, printTable } from './output';

const columns: Columns<AmountMismatch> = [
  ['TRANSACTION_ID', (mismatch) => mismatch.transactionId, 'whole'],
  ['AMOUNT', (mismatch) => mismatch.amount, 'whole'],
  ['BANK SAYS', (mismatch) => mismatch.saidAmounts, 'wrap'],
  ['BANK', (mismatch) => mismatch.bank],
  ['STATUS', (mismatch) => mismatch.status, 'whole'],
  ['LAST REFUSED', (mismatch) => mismatch.lastRefusedAt, 'whole'],
  ['TIMES', (mismatch) => mismatch.refusals, 'whole'],
  ['COMPANY', (mismatch) => mismatch.company],
  ['ENVIRONMENT', (mismatch) => mismatch.kind],
];

const asJson = (mismatch: AmountMismatch) => ({
  transaction_id: mismatch.transactionId,
  company: mismatch.company,
  environment: mismatch.kind,
  status: mismatch.status,
  amount: mismatch.amount,
  said_amounts: mismatch.saidAmounts,
  currency: 'USD',
  bank: mismatch.bank,
  refusals: mismatch.refusals,
  last_refused_at: mismatch.lastRefusedAt,
});

export function mismatchesCommand(): Command {
  return lookCommand(
    'mismatches',
    'list completions that were refused because the bank named another amount, and that nobody has resolved. Exit code 3: there is some',
  ).action(({ json }: { json?: boolean }) =>
    look(
      ({ mismatches }) => mismatches.listOpen(),
      (open) => {
        if (open.length > 0) process.exitCode = exitCodes.found;
        if (json) printJson({ mismatches: open.map(asJson) });
        else printTable(columns, open, 'No mismatch is open.');
      },
    ),
  );
}

function parseReason(text: string): string {
  const reason = text.trim();
  if (reason.length >= 1 && reason.length <= 500 && !/\p{Cc}/u.test(reason)) return reason;
  throw new InvalidArgumentError('One line of 1 to 500 characters is needed.');
}

export function resolveCommand(): Command {
  return actCommand(
    'resolve',
    'record what came of an amount mismatch, which is open no more until a completion is refused again; neither the contribution nor its amount changes',
  )
    .addArgument(transactionIdArgument())
    .requiredOption(
      '--reason <text>',
      'what was found and agreed; it is kept for good, so name no user',
      parseReason,
    )
    .action((id: string, options: ActOptions & { reason: string }) =>
      act(
        {
          command: resolutionCommand,
          arguments: { reason: options.reason },
          work: ({ mismatches }) => mismatches.resolve(id),
          record: (mismatch) => ({
            target: id,
            result: {
              amount: mismatch.amount,
              said_amounts: mismatch.saidAmounts,
              refusals: mismatch.refusals,
              refused_until: mismatch.lastRefusedAtExactly,
            },
          }),
        },
        options,
        (mismatch) => {
          answer(options, {
            transaction_id: id,
            status: mismatch.status,
            amount: mismatch.amount,
            said_amounts: mismatch.saidAmounts,
            resolved: true,
            reason: options.reason,
          });
        },
      ),
    );
}
