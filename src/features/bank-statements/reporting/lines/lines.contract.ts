import { z } from 'zod';

import { endpoint } from '../../../../http/contract';
import { dayRange, daysInOrder } from '../../../../http/request/day-range';
import { cursor, dateFilter, limit, uuidField } from '../../../../http/request/fields';
import { pageSchema } from '../../../../http/response/page';
import { cursorReader } from '../../../../shared/cursor';
import { accountIdInPath, entryIdInPath, entryOutcomes, fileIdInPath } from '../../statement.fields';
import { entriesAsCsv, entry, lineStates, source, terms } from './lines.fields';

export const entryExample = {
  entry_id: '5b9c7a1e-0d2f-8a4b-8c6d-7e8f9a0b1c2d',
  account_id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
  account_ending: '3000',
  account_name: null,
  file_id: '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b',
  statement_id: '0e2f8a4b-8c6d-8e8f-9a0b-1c2d5b9c7a1e',
  bank_statement_id: 'STMT-2026-11-20',
  statement_number: '221',
  line: 1,
  part: 0,
  day: '2026-11-20',
  booking_date: '2026-11-20',
  direction: 'credit',
  amount: '25.00',
  signed_amount: '25.00',
  charges: '0.00',
  bank_reference: 'AX-20261120-0007',
  bank_code: 'PMNT-RCDT-ESCT',
  return_code: null,
  state: 'counted',
  outcome: 'matched',
  reason: null,
  explanation: 'It pays the contributions.',
  is_decided: false,
  is_pending: false,
  term: 'matched',
  term_amount: '25.00',
  charge_amount: '0.00',
  allocations: [
    {
      transaction_id: 'K7Q20CR5M3V9XHG',
      kind: 'payment',
      amount: '25.00',
      confidence: 'exact',
      state: 'confirmed',
    },
  ],
  replaced_by: null,
} as const;

const unexplained = {
  ...entryExample,
  outcome: 'unknown',
  reason: 'no_reference',
  explanation: 'Its texts contain no transaction id. Find the donor, then link it.',
  term: 'unexplained',
  allocations: [],
} as const;

const pageOfEntries = (description: string, example: typeof entryExample | typeof unexplained) => ({
  description,
  body: pageSchema(entry),
  csv: entriesAsCsv,
  example: { data: [example], has_more: false, next_cursor: null },
});

/** An account, a day and an entry. */
const place = z.tuple([z.guid(), z.iso.date(), z.guid()]);

function filterInOrder(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  context: z.RefinementCtx,
) {
  if (from === undefined || to === undefined || from < to) return;
  context.addIssue({
    code: 'custom',
    path: ['to'],
    message: 'Send a date after from.',
    params: { code: 'out_of_range' },
  });
}

const toExplain = endpoint({
  operationId: 'listEntriesToExplain',
  method: 'get',
  path: '/company/integration/statements/entries',
  summary: 'List the entries to explain',
  description:
    'The entries of all accounts and files that belong to no contribution yet: `unknown`, `proposed`, `other_currency`, `not_booked`, `unreadable` and `sums_differ`. Charges of the bank are not included. With `outcome` or `state`, a page can have fewer items than `limit`, even none, while `has_more` is true: the service examines a limited number of entries for each page.',
  origin: 'addition',
  scope: 'statements:read',
  trafficClass: 'lists',
  query: z
    .strictObject({
      account_id: uuidField('Only entries of this account').optional(),
      from: dateFilter('Only entries of this day or later'),
      to: dateFilter('Only entries before this day. Later than `from`'),
      outcome: z
        .enum(entryOutcomes)
        .exclude(['matched', 'returned', 'ignored'])
        .optional()
        .meta({ description: 'Only entries with this outcome' }),
      state: z.enum(lineStates).optional().meta({ description: 'Only entries in this state' }),
      limit: limit(100),
      cursor: cursor(cursorReader(place)),
    })
    .superRefine(filterInOrder),
  responses: { 200: pageOfEntries('A page of entries, by account and day.', unexplained) },
  errors: ['invalid_request'],
});

const ofTerm = endpoint({
  operationId: 'listEntriesOfTerm',
  method: 'get',
  path: '/company/integration/statement-accounts/{account_id}/entries',
  summary: 'List the entries of the reconciliation',
  description:
    'The entries whose `term_amount` adds up to a term of the reconciliation. For `charges`, add `charge_amount`: a return with a charge belongs to two terms. Without `term`, the entries of all terms, each once.',
  origin: 'addition',
  scope: 'statements:read',
  trafficClass: 'lists',
  params: z.object({ account_id: accountIdInPath }),
  query: z
    .strictObject({
      term: z.enum(terms).optional().meta({ description: 'Only entries of this term' }),
      ...dayRange,
      limit: limit(100),
      cursor: cursor(cursorReader(z.tuple([z.iso.date(), z.guid()]))),
    })
    .superRefine(daysInOrder),
  responses: { 200: pageOfEntries('A page of entries, by day.', entryExample) },
  errors: ['invalid_request', 'statement_account_not_found'],
});

/** A statement, a line and a part. */
const placeInFile = z.tuple([z.guid(), z.int().min(0).max(2_147_483_647), z.int().min(0).max(2_147_483_647)]);

const ofFile = endpoint({
  operationId: 'listStatementEntries',
  method: 'get',
  path: '/company/integration/statements/{file_id}/entries',
  summary: 'List the entries of a file',
  description:
    'Every line of a file, and what it is: `counted`, `proposed`, `replaced` with the statement that has it instead, or `pending`. Empty if the file is voided or was not read.',
  origin: 'addition',
  scope: 'statements:read',
  trafficClass: 'lists',
  params: z.object({ file_id: fileIdInPath }),
  query: z.strictObject({ limit: limit(100), cursor: cursor(cursorReader(placeInFile)) }),
  responses: { 200: pageOfEntries('A page of entries, by statement and line.', entryExample) },
  errors: ['invalid_request', 'statement_not_found'],
});

const get = endpoint({
  operationId: 'getStatementEntry',
  method: 'get',
  path: '/company/integration/statements/entries/{entry_id}',
  summary: 'Read an entry',
  description: 'An entry with its contributions, and the statements that have it.',
  origin: 'addition',
  scope: 'statements:read',
  params: z.object({ entry_id: entryIdInPath }),
  responses: {
    200: {
      description: 'The entry.',
      body: entry.extend({ sources: z.array(source) }).meta({ id: 'AccountEntryWithSources' }),
      example: {
        ...entryExample,
        sources: [
          {
            file_id: entryExample.file_id,
            statement_id: entryExample.statement_id,
            format: 'camt.053',
            bank_statement_id: 'STMT-2026-11-20',
            number: '221',
            made_at: '2026-11-21T01:00:00.000Z',
            state: 'counted',
            lines: 1,
          },
        ],
      },
    },
  },
  errors: ['invalid_request', 'statement_entry_not_found'],
});

export const linesContract = { toExplain, ofTerm, ofFile, get };
