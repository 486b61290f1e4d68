import { z } from 'zod';

import { endpoint } from '../../../http/contract';
import { requiredText } from '../../../http/request/fields';
import { largestAmountCents } from '../../../shared/money';
import { amount } from '../../../core/contributions/amount.field';
import { transactionIdInPath } from '../../../core/contributions/contribution.fields';
import { cents } from '../reporting/days/days.fields';
import { openEnum } from '../statement.fields';

/** Longer texts are not references of a bank. */
export const longestReference = 35;
export const largestListBytes = 4 * 1024 * 1024;
/** The maximum number of lines of an upload, including empty lines and the header. */
export const mostListLines = 10_000;
/** The maximum number of lists of an upload. Each list is stored in its own transaction. */
export const mostLists = 500;

/** A contribution that a transfer pays. */
export const settlementLine = z.object({
  reference: requiredText(longestReference, 'The reference of the transfer in the statement'),
  transaction_id: transactionIdInPath,
  amount: amount({ minimumCents: 1n, maximumCents: largestAmountCents }),
});

const lineExample = { reference: 'FT-2026-0042', transaction_id: 'K7Q20CR5M3V9XHG', amount: '25.00' };

const settlement = z
  .strictObject({
    reference: z.string(),
    outcome: openEnum(
      ['stored', 'unchanged'],
      '`unchanged`: the newest list of the reference has the same lines',
    ),
    contributions: z.int(),
    amount: cents('Sum of the lines'),
  })
  .meta({ id: 'SettlementList' });

const example = {
  settlements: [{ reference: 'FT-2026-0042', outcome: 'stored', contributions: 1, amount: '25.00' }],
} as const;

export const listSettlements = endpoint({
  operationId: 'importSettlements',
  method: 'post',
  path: '/company/integration/statements/settlements',
  summary: 'State which contributions a transfer pays',
  description:
    'Send a file with one contribution per line, as NDJSON or as CSV with a header. The lines of one reference are a list: one transfer with this reference pays these contributions. A statement entry with this reference is matched if the amounts in the list add up to the amount of the entry plus its charges. Send the list before or after the statement. A later list of the same reference replaces the earlier one. If one line is invalid, nothing is stored. The call is idempotent.',
  origin: 'addition',
  scope: 'statements:write',
  upload: {
    limitBytes: largestListBytes,
    line: settlementLine,
    examples: {
      ndjson: lineExample,
      csv: `${Object.keys(lineExample).join(',')}\n${Object.values(lineExample).join(',')}\n`,
    },
  },
  responses: {
    200: {
      description: 'The lists, in the order of their first lines.',
      body: z.strictObject({ settlements: z.array(settlement) }),
      example,
    },
  },
  errors: ['invalid_request', 'malformed_body', 'body_too_large', 'unsupported_media_type'],
});
