import type { Command } from 'commander';

import { disputeKinds } from '../contribution-lookup/dispute-kinds';
import type { ActOptions } from '../cli/act';
import type { Dispute } from '../contribution-lookup/disputes.store';
import type { CommandIo } from '../cli/command-io';
import { exitCodes } from '../cli/exit-codes';
import { actCommand, lookCommand, parseReason, printResult, transactionIdArgument } from '../cli/options';
import { type Columns, printJson, printTable } from '../cli/output';
import { act, look } from './operations';

/** The two commands for one kind of dispute: one lists, the other resolves. */
interface Commands {
  service: keyof typeof disputeKinds;
  listName: string;
  listDescription: string;
  none: string;
  columns: Columns<Dispute>;
  asJson: (dispute: Dispute) => Record<string, unknown>;
  resolveName: string;
  resolveDescription: string;
  resultOf: (dispute: Dispute) => Record<string, unknown>;
}

const mismatches: Commands = {
  service: 'mismatches',
  listName: 'mismatches',
  listDescription:
    'list unresolved amount mismatches: completions that were rejected because their amount differs from the contribution. Exit code 3: found some',
  none: 'No unresolved mismatches found.',
  columns: [
    ['TRANSACTION_ID', (dispute) => dispute.transactionId, 'whole'],
    ['AMOUNT', (dispute) => dispute.amount, 'whole'],
    ['REPORTED', (dispute) => dispute.reportedAmounts, 'wrap'],
    ['BANK', (dispute) => dispute.bank],
    ['STATUS', (dispute) => dispute.status, 'whole'],
    ['LAST REJECTED', (dispute) => dispute.lastRefusedAt, 'whole'],
    ['ATTEMPTS', (dispute) => dispute.refusals, 'whole'],
    ['COMPANY', (dispute) => dispute.company],
    ['ENVIRONMENT', (dispute) => dispute.kind],
  ],
  asJson: (dispute) => ({
    transaction_id: dispute.transactionId,
    company: dispute.company,
    environment: dispute.kind,
    status: dispute.status,
    amount: dispute.amount,
    reported_amounts: dispute.reportedAmounts,
    currency: 'USD',
    bank: dispute.bank,
    refusals: dispute.refusals,
    last_refused_at: dispute.lastRefusedAt,
  }),
  resolveName: 'resolve',
  resolveDescription:
    'record how an amount mismatch was resolved, so that "transactions mismatches" no longer lists it. The contribution does not change. Another mismatch reopens the dispute',
  resultOf: (dispute) => ({ amount: dispute.amount, reported_amounts: dispute.reportedAmounts }),
};

const contested: Commands = {
  service: 'contested',
  listName: 'contested',
  listDescription:
    'list unresolved contested completions: after one party completed a contribution, another party tried to complete it too. Exit code 3: found some',
  none: 'No unresolved contested completions found.',
  columns: [
    ['TRANSACTION_ID', (dispute) => dispute.transactionId, 'whole'],
    ['AMOUNT', (dispute) => dispute.amount, 'whole'],
    ['COMPLETED BY', (dispute) => dispute.completedBy],
    ['REFERENCE', (dispute) => dispute.bankReference],
    ['VALUE DATE', (dispute) => dispute.valueDate, 'whole'],
    ['CONTESTED BY', (dispute) => dispute.reportedBy, 'wrap'],
    ['REPORTED REFERENCES', (dispute) => dispute.reportedReferences, 'wrap'],
    ['REPORTED VALUE DATES', (dispute) => dispute.reportedValueDates, 'wrap'],
    ['REPORTED AMOUNTS', (dispute) => dispute.reportedAmounts, 'wrap'],
    ['LAST CONTESTED', (dispute) => dispute.lastRefusedAt, 'whole'],
    ['ATTEMPTS', (dispute) => dispute.refusals, 'whole'],
    ['COMPANY', (dispute) => dispute.company],
    ['ENVIRONMENT', (dispute) => dispute.kind],
  ],
  asJson: (dispute) => ({
    transaction_id: dispute.transactionId,
    company: dispute.company,
    environment: dispute.kind,
    amount: dispute.amount,
    currency: 'USD',
    completed_by: dispute.completedBy,
    completed_at: dispute.completedAt,
    bank_reference: dispute.bankReference,
    value_date: dispute.valueDate,
    contested_by: dispute.reportedBy,
    reported_amounts: dispute.reportedAmounts,
    reported_bank_references: dispute.reportedReferences,
    reported_value_dates: dispute.reportedValueDates,
    attempts: dispute.refusals,
    last_contested_at: dispute.lastRefusedAt,
  }),
  resolveName: 'resolve-contested',
  resolveDescription:
    'record how a contested completion was resolved, so that "transactions contested" no longer lists it. The contribution does not change. Another attempt reopens the dispute',
  resultOf: (dispute) => ({
    amount: dispute.amount,
    completed_by: dispute.completedBy,
    contested_by: dispute.reportedBy,
    reported_bank_references: dispute.reportedReferences,
  }),
};

const repeated: Commands = {
  service: 'repeated',
  listName: 'repeated',
  listDescription:
    'list completions that were sent again after the money was returned or the completion was corrected, without a new bank reference: a late retry, or a second payment. Exit code 3: found some',
  none: 'No unresolved repeated completions found.',
  columns: [
    ['TRANSACTION_ID', (dispute) => dispute.transactionId, 'whole'],
    ['AMOUNT', (dispute) => dispute.amount, 'whole'],
    ['SENT BY', (dispute) => dispute.reportedBy, 'wrap'],
    ['COMPLETED BY', (dispute) => dispute.completedBy],
    ['REFERENCE', (dispute) => dispute.bankReference],
    ['SENT REFERENCES', (dispute) => dispute.reportedReferences, 'wrap'],
    ['LAST SENT', (dispute) => dispute.lastRefusedAt, 'whole'],
    ['ATTEMPTS', (dispute) => dispute.refusals, 'whole'],
    ['COMPANY', (dispute) => dispute.company],
    ['ENVIRONMENT', (dispute) => dispute.kind],
  ],
  asJson: (dispute) => ({
    transaction_id: dispute.transactionId,
    company: dispute.company,
    environment: dispute.kind,
    amount: dispute.amount,
    currency: 'USD',
    completed_by: dispute.completedBy,
    completed_at: dispute.completedAt,
    bank_reference: dispute.bankReference,
    sent_by: dispute.reportedBy,
    sent_bank_references: dispute.reportedReferences,
    attempts: dispute.refusals,
    last_sent_at: dispute.lastRefusedAt,
  }),
  resolveName: 'resolve-repeated',
  resolveDescription:
    'record whether a repeated completion was a retry or a second payment, so that "transactions repeated" no longer lists it. The contribution does not change: the bank records a second payment by completing with its new bank reference. Another attempt reopens the case',
  resultOf: (dispute) => ({ amount: dispute.amount, sent_by: dispute.reportedBy }),
};

function listOf(
  io: CommandIo,
  { service, listName, listDescription, none, columns, asJson }: Commands,
): Command {
  return lookCommand(listName, listDescription).action(({ json }: { json?: boolean }) =>
    look(
      io,
      ({ disputes }) => disputes[service].listOpen(),
      (open) => {
        if (open.length > 0) io.exitCode = exitCodes.found;
        if (json) printJson(io, { [service]: open.map(asJson) });
        else printTable(io, columns, open, none);
      },
    ),
  );
}

function resolveOf(io: CommandIo, { service, resolveName, resolveDescription, resultOf }: Commands): Command {
  return actCommand(resolveName, resolveDescription)
    .addArgument(transactionIdArgument())
    .requiredOption(
      '--reason <text>',
      'required: what you found and agreed on; stored permanently, so do not include personal data',
      parseReason,
    )
    .action((id: string, options: ActOptions & { reason: string }) =>
      act(
        io,
        {
          command: disputeKinds[service].command,
          arguments: { reason: options.reason },
          work: ({ disputes }) => disputes[service].resolve(id),
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
        (dispute) => {
          printResult(io, options, {
            transaction_id: id,
            status: dispute.status,
            ...resultOf(dispute),
            resolved: true,
            reason: options.reason,
          });
        },
      ),
    );
}

export const disputeCommands = (io: CommandIo): Command[] =>
  [mismatches, contested, repeated].flatMap((commands) => [listOf(io, commands), resolveOf(io, commands)]);
