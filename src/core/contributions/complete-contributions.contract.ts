import { z } from 'zod';

import { endpoint } from '../../http/contract';
import { flag, optionalDate, optionalText } from '../../http/request/fields';
import { inputErrorCodes } from '../../shared/errors';
import { largestAmountCents } from '../../shared/money';
import { amount } from './amount.field';
import { currency, onlyCompleted, transactionIdInPath } from './contribution.fields';

export const largestFileBytes = 4 * 1024 * 1024;
/** The maximum number of lines of a file, including empty lines and the header. */
export const mostLines = 10_000;
/** The time limit for completing a file. When it is reached, the response ends early. */
export const longestBatchMs = 120_000;

/** A completion of the file: the members of a single completion, with `amount` required. */
export const completionLine = z.object({
  transaction_id: transactionIdInPath,
  status: onlyCompleted.optional(),
  // Record any amount that the bank states, even one outside the limits.
  amount: amount({ minimumCents: 1n, maximumCents: largestAmountCents }),
  currency,
  bank_reference: optionalText(140, "The bank's reference for the transfer"),
  value_date: optionalDate('The date of the transfer'),
});

const lineExample = {
  transaction_id: 'K7Q20CR5M3V9XHG',
  amount: '25.00',
  bank_reference: 'FT-2026-0042',
  value_date: '2026-11-20',
};

/** The response to one line. */
const outcomeLine = z
  .strictObject({
    line: z.int().meta({ description: 'The number of the line in the file, from 1' }),
    transaction_id: z.string().nullable().meta({
      description: 'The id of the line, or null if the line has none',
    }),
    outcome: z.enum(['completed', 'replayed', 'refused', 'unknown']).meta({
      description:
        '`replayed`: you had already completed the contribution, and nothing changed. `unknown`: the contribution may or may not be completed, so send the line again',
      'x-open-enum': true,
    }),
    code: z.string().nullable().meta({
      description:
        'The error code of a line that is refused or unknown: the code that a single completion gets',
    }),
    detail: z.string().nullable().meta({ description: 'Why a line is refused or unknown' }),
    errors: z
      .array(
        z.strictObject({
          code: z.enum(inputErrorCodes).meta({ 'x-open-enum': true }),
          detail: z.string(),
          pointer: z.string(),
        }),
      )
      .optional()
      .meta({ description: 'The invalid members of a line with `invalid_request`' }),
  })
  .meta({ id: 'CompletionOutcome' });

const count = (description: string) => z.int().meta({ description });

/** The last line of a complete response. */
const summaryLine = z
  .strictObject({
    summary: z.strictObject({
      lines: count('Completions in the file. Empty lines and the header of a CSV file do not count'),
      completed: count('Contributions that this file completed'),
      replayed: count('Contributions that you had already completed'),
      refused: count('Lines that completed nothing'),
      unknown: count('Lines whose contribution may or may not be completed. Send them again'),
      sha256: z.string().meta({
        description: 'SHA-256 of the file that the service read, in hexadecimal digits',
        pattern: '^[0-9a-f]{64}$',
      }),
    }),
  })
  .meta({ id: 'CompletionSummary' });

export const completeMany = endpoint({
  operationId: 'completeContributions',
  method: 'post',
  path: '/company/integration/contributions/completions',
  summary: 'Complete many contributions',
  description:
    'Send a file with one completion per line, as NDJSON or as CSV with a header. The response has one line for each line of the file, in the same order, and a summary as its last line. Each line has the effect of a single completion, and a refused line does not affect the others. Resend lines with the code `database_timeout` or `database_unavailable`, and lines with the outcome `unknown`. If the summary is missing, the response was cut off: send the whole file again. Lines that were completed are then `replayed`.',
  origin: 'addition',
  scope: 'contributions:complete',
  query: z.strictObject({
    dry_run: flag('1 = report the outcomes and change nothing'),
  }),
  upload: {
    limitBytes: largestFileBytes,
    line: completionLine,
    examples: {
      ndjson: lineExample,
      csv: `${Object.keys(lineExample).join(',')}\n${Object.values(lineExample).join(',')}\n`,
    },
  },
  responses: {
    200: {
      description: 'One JSON object per line: the outcomes, then the summary. The schema describes one line.',
      line: z.union([outcomeLine, summaryLine]),
      example: {
        line: 1,
        transaction_id: 'K7Q20CR5M3V9XHG',
        outcome: 'completed',
        code: null,
        detail: null,
      },
    },
  },
});

export type OutcomeLine = z.output<typeof outcomeLine>;
export type SummaryLine = z.output<typeof summaryLine>;
