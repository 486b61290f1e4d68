import { z } from 'zod';

import { optionalField, refuse, uuidField } from '../../http/request/fields';

const uuidInPath = (description: string) => uuidField(description, '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b');

export const fileIdInPath = uuidInPath('The file_id of an uploaded file');
export const accountIdInPath = uuidInPath('The account_id of an account with statements');
export const entryIdInPath = uuidInPath('The entry_id of an entry');

/** The name of an account. It is sent in the query, so logs may show it. */
export const accountName = optionalField(
  {
    type: 'string',
    pattern: '^[A-Za-z0-9._-]{1,64}$',
    description:
      'Your own name for the account, for files that state no account number. Use the same name for all files of the account. Never send an account number here.',
    examples: ['collecting-usd'],
  },
  (value) =>
    typeof value === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(value)
      ? value
      : refuse('invalid_format', 'Send 1 to 64 letters, digits, dots, underscores and hyphens.'),
);

export const directions = ['credit', 'debit'] as const;
export const entryOutcomes = [
  'matched',
  'proposed',
  'returned',
  'unknown',
  'ignored',
  'unreadable',
  'other_currency',
  'not_booked',
  'sums_differ',
] as const;
export const confidences = ['exact', 'normalized', 'repaired', 'settlement', 'decision'] as const;
export const decisionActions = [
  'link',
  'split',
  'unlink',
  'ignore',
  'accept_difference',
  'complete',
] as const;

export type EntryOutcome = (typeof entryOutcomes)[number];

/** A decision on an entry. The newest decision counts. */
export interface EntryDecision {
  action: (typeof decisionActions)[number];
  allocations: readonly { transactionId: string; cents: bigint }[];
}

export const openEnum = <const Values extends readonly [string, ...string[]]>(
  values: Values,
  description: string,
) => z.enum(values).meta({ description, 'x-open-enum': true });
