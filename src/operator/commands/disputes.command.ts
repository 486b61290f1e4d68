import type { Command } from 'commander';

import { disputeKinds } from '../contribution-lookup/dispute-kinds';
import type { ChangeOptions } from '../cli/change';
import type { Dispute } from '../contribution-lookup/disputes.store';
import type { CommandIo } from '../cli/command-io';
import { exitCodes } from '../cli/exit-codes';
import { changeCommand, readCommand, parseReason, transactionIdArgument } from '../cli/options';
import { type Field, type List, printList } from '../cli/output';
import { runChange, runRead } from './operations';

/** The two commands for one kind of dispute: one lists, the other resolves. */
interface Commands extends List<Dispute> {
  name: keyof typeof disputeKinds;
  listDescription: string;
  resolveName: string;
  resolveDescription: string;
  resultOf: (dispute: Dispute) => Record<string, unknown>;
}

const transaction: Field<Dispute> = [
  'transaction_id',
  (dispute) => dispute.transactionId,
  'TRANSACTION_ID',
  'whole',
];
const amount: Field<Dispute> = ['amount', (dispute) => dispute.amount, 'AMOUNT', 'whole'];
const completer: readonly Field<Dispute>[] = [
  ['completed_by', (dispute) => dispute.completedBy, 'COMPLETED BY'],
  ['completed_at', (dispute) => dispute.completedAt],
  ['bank_reference', (dispute) => dispute.bankReference, 'REFERENCE'],
];
const place: readonly Field<Dispute>[] = [
  ['company', (dispute) => dispute.company, 'COMPANY'],
  ['environment', (dispute) => dispute.kind, 'ENVIRONMENT'],
  ['currency', () => 'USD'],
];

const mismatches: Commands = {
  name: 'mismatches',
  listDescription:
    'list unresolved amount mismatches: completions that were rejected because their amount differs from the contribution. Exit code 3: found some',
  whenEmpty: 'No unresolved mismatches found.',
  fields: [
    transaction,
    amount,
    ['reported_amounts', (dispute) => dispute.reportedAmounts, 'REPORTED', 'wrap'],
    ['bank', (dispute) => dispute.bank, 'BANK'],
    ['status', (dispute) => dispute.status, 'STATUS', 'whole'],
    ['last_refused_at', (dispute) => dispute.lastRefusedAt, 'LAST REJECTED', 'whole'],
    ['refusals', (dispute) => dispute.refusals, 'ATTEMPTS', 'whole'],
    ...place,
  ],
  resolveName: 'resolve',
  resolveDescription:
    'record how an amount mismatch was resolved, so that "contributions mismatches" no longer lists it. The contribution does not change. Another mismatch reopens the dispute',
  resultOf: (dispute) => ({ amount: dispute.amount, reported_amounts: dispute.reportedAmounts }),
};

const contested: Commands = {
  name: 'contested',
  listDescription:
    'list unresolved contested completions: after one party completed a contribution, another party tried to complete it too. Exit code 3: found some',
  whenEmpty: 'No unresolved contested completions found.',
  fields: [
    transaction,
    amount,
    ...completer,
    ['value_date', (dispute) => dispute.valueDate, 'VALUE DATE', 'whole'],
    ['contested_by', (dispute) => dispute.reportedBy, 'CONTESTED BY', 'wrap'],
    ['reported_bank_references', (dispute) => dispute.reportedReferences, 'REPORTED REFERENCES', 'wrap'],
    ['reported_value_dates', (dispute) => dispute.reportedValueDates, 'REPORTED VALUE DATES', 'wrap'],
    ['reported_amounts', (dispute) => dispute.reportedAmounts, 'REPORTED AMOUNTS', 'wrap'],
    ['last_contested_at', (dispute) => dispute.lastRefusedAt, 'LAST CONTESTED', 'whole'],
    ['attempts', (dispute) => dispute.refusals, 'ATTEMPTS', 'whole'],
    ...place,
  ],
  resolveName: 'resolve-contested',
  resolveDescription:
    'record how a contested completion was resolved, so that "contributions contested" no longer lists it. The contribution does not change. Another attempt reopens the dispute',
  resultOf: (dispute) => ({
    amount: dispute.amount,
    completed_by: dispute.completedBy,
    contested_by: dispute.reportedBy,
    reported_bank_references: dispute.reportedReferences,
  }),
};

const repeated: Commands = {
  name: 'repeated',
  listDescription:
    'list completions that were sent again after the money was returned or the completion was corrected, without a new bank reference: a late retry, or a second payment. Exit code 3: found some',
  whenEmpty: 'No unresolved repeated completions found.',
  fields: [
    transaction,
    amount,
    ['sent_by', (dispute) => dispute.reportedBy, 'SENT BY', 'wrap'],
    ...completer,
    ['sent_bank_references', (dispute) => dispute.reportedReferences, 'SENT REFERENCES', 'wrap'],
    ['last_sent_at', (dispute) => dispute.lastRefusedAt, 'LAST SENT', 'whole'],
    ['attempts', (dispute) => dispute.refusals, 'ATTEMPTS', 'whole'],
    ...place,
  ],
  resolveName: 'resolve-repeated',
  resolveDescription:
    'record whether a repeated completion was a retry or a second payment, so that "contributions repeated" no longer lists it. The contribution does not change: the bank records a second payment by completing with its new bank reference. Another attempt reopens the case',
  resultOf: (dispute) => ({ amount: dispute.amount, sent_by: dispute.reportedBy }),
};

const listOf = (io: CommandIo, commands: Commands): Command =>
  readCommand(commands.name, commands.listDescription).action(({ json }: { json?: boolean }) =>
    runRead(
      io,
      ({ disputes }) => disputes[commands.name].listOpen(),
      (open) => {
        if (open.length > 0) io.exitCode = exitCodes.found;
        printList(io, commands, open, json);
      },
    ),
  );

function resolveOf(io: CommandIo, { name, resolveName, resolveDescription, resultOf }: Commands): Command {
  return changeCommand(resolveName, resolveDescription)
    .addArgument(transactionIdArgument())
    .requiredOption(
      '--reason <text>',
      'required: what you found and agreed on; stored permanently, so do not include personal data',
      parseReason,
    )
    .action((id: string, options: ChangeOptions & { reason: string }) =>
      runChange(
        io,
        {
          command: disputeKinds[name].command,
          arguments: { reason: options.reason },
          work: ({ disputes }) => disputes[name].resolve(id),
          record: (dispute) => ({
            target: id,
            result: {
              ...resultOf(dispute),
              refusals: dispute.refusals,
              refused_until: dispute.lastRefusedAtExactly,
            },
          }),
          leaves: () => `The dispute about ${id} is resolved now. This cannot be undone.`,
        },
        options,
        (dispute) => ({
          transaction_id: id,
          status: dispute.status,
          ...resultOf(dispute),
          resolved: true,
          reason: options.reason,
        }),
      ),
    );
}

export const disputeCommands = (io: CommandIo): Command[] =>
  [mismatches, contested, repeated].flatMap((commands) => [listOf(io, commands), resolveOf(io, commands)]);
