import type { Command } from 'commander';

import type { ChangeOptions } from '../../../operator/cli/change';
import type { CommandIo } from '../../../operator/cli/command-io';
import { finalCommand, parseReason, transactionIdArgument } from '../../../operator/cli/options';
import { createCorrectionsStore } from './corrections.store';
import { createTransactionLookupStore } from '../../../operator/contribution-lookup/transaction-lookup.store';
import { runWith } from '../../../operator/cli/run-with';

const { runChange } = runWith((queries) =>
  createCorrectionsStore(queries, createTransactionLookupStore(queries)),
);

export const correctCommand = (io: CommandIo): Command =>
  finalCommand(
    'correct',
    'take a completion back that was a mistake: no money moved. The party that may complete the contribution can then complete it again',
  )
    .addArgument(transactionIdArgument())
    .requiredOption(
      '--reason <text>',
      'required: what was wrong; stored permanently, so do not include personal data. The same reason again changes nothing',
      parseReason,
    )
    .action((id: string, options: ChangeOptions & { reason: string }) =>
      runChange(
        io,
        {
          command: 'contributions correct',
          arguments: { reason: options.reason },
          question: (corrections) => corrections.describe(id),
          work: (corrections) => corrections.correct(id, options.reason),
          record: ({ amount, completedBy, bankReference, changed }) => ({
            target: id,
            result: { amount, completed_by: completedBy, bank_reference: bankReference, changed },
          }),
          leaves: ({ changed }) =>
            changed
              ? `The completion of ${id} is taken back now. This cannot be undone, but the contribution can be completed again.`
              : undefined,
        },
        options,
        ({ amount, completedBy, bankReference, correctedAt, changed }) => ({
          transaction_id: id,
          amount,
          completed_by: completedBy,
          bank_reference: bankReference,
          corrected_at: correctedAt,
          changed,
        }),
      ),
    );
