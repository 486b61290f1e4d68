import { fileLimits, type Outcome, outcomes } from '@contribution-service/bank-files';
import { z } from 'zod';

import { endpoint } from '../../http/contract';
import { cursor, flag, limit, requiredText } from '../../http/request/fields';
import { transactionId } from '../../core/contributions/contribution-response.fields';
import { csvMapping } from './csv-mapping.field';
import {
  accountName,
  confidences,
  directions,
  entryOutcomes,
  fileIdInPath,
  openEnum,
} from './statement.fields';
import { entryExample, exampleFile, fileExample } from './statement-examples.fields';
import { readUuidCursor } from '../../shared/uuid-cursor';

const path = '/company/integration/statements';

/** Balances and entries may be negative or larger than any contribution. */
export const cents = (description: string) =>
  z.string().meta({ description, pattern: '^-?[0-9]+\\.[0-9]{2}$', examples: ['25.00'] });

const checkedId = 'All zeros after a dry run, which stores nothing';

const statement = z.strictObject({
  number: z.int().meta({ description: 'The number of the statement in the file, from 1' }),
  account_id: z.uuid().meta({ description: checkedId }),
  account_ending: z.string().nullable().meta({ description: 'Last four characters of the account number' }),
  bank_statement_id: z.string().nullable().meta({ description: "The bank's identifier of the statement" }),
  kind: openEnum(
    ['final', 'interim', 'notification'],
    'In `interim` and `notification` statements, entries without a bank reference are at most `proposed`',
  ),
  period_from: z.iso.date().nullable(),
  period_to: z.iso.date().nullable(),
  opening_balance: cents('Balance before the entries').nullable(),
  closing_balance: cents('Balance after the entries').nullable(),
  balance: openEnum(
    ['balanced', 'unbalanced', 'not_checked'],
    '`unbalanced`: a total in the file is wrong, so the entries are at most `proposed`. `not_checked`: the file omits a balance',
  ),
  continuity: openEnum(
    ['continuous', 'broken', 'first', 'not_checked'],
    'Whether the statement starts with the closing balance of the previous statement of the account. `broken`: the balances or the numbers show that a statement between them is missing, or a statement of the same days states another balance. `first`: there is no previous one',
  ),
  entries: z.int(),
});

const file = z
  .strictObject({
    file_id: z.uuid().meta({ description: checkedId }),
    state: openEnum(
      ['checked', 'receiving', 'stored', 'matched', 'voided'],
      '`checked`: a dry run stored nothing. `receiving`: the upload was interrupted. Send the file again. `stored`: the entries are not all compared yet. `matched`: all are compared, whatever their outcome',
    ),
    format: z.string(),
    version: z.string().nullable(),
    received_at: z.iso.datetime(),
    entries: z.int().meta({
      description: 'The number of entries in the file. Each part of a batch entry counts as one entry',
    }),
    matched_entries: z.int().meta({
      description:
        'Number of entries that the service has compared so far, whatever their outcome. Voiding the file resets it to 0. The money of a voided file counts until this number equals `entries` again',
    }),
    problems: z.array(z.strictObject({ line: z.int(), message: z.string() })).meta({
      description: 'Contradictions in the file, such as wrong totals',
    }),
    statements: z.array(statement),
    voided_at: z.iso.datetime().nullable(),
    void_reason: z.string().nullable(),
  })
  .meta({ id: 'StatementFile' });

const uploadedFile = file
  .extend({
    outcomes: z
      .strictObject(
        Object.fromEntries(outcomes.map((outcome) => [outcome, z.int()])) as Record<Outcome, z.ZodInt>,
      )
      .optional()
      .meta({
        description:
          'Only in a dry run: the number of entries with each outcome. `found`: the texts contain one transaction id. The guide describes the others',
      }),
  })
  .meta({ id: 'UploadedStatementFile' });

export const entry = z
  .strictObject({
    entry_id: z.uuid().meta({ description: 'The same in all files that contain the entry' }),
    direction: openEnum(directions, 'Whether the account received or paid'),
    amount: cents('Amount of the entry; null if it cannot be read').nullable(),
    charges: cents('Charges that the bank deducted from the amount. They count as paid'),
    currency: z.string(),
    booking_date: z.iso.date().nullable(),
    bank_reference: z.string().nullable(),
    return_code: z.string().nullable(),
    outcome: openEnum(entryOutcomes, 'See the table of outcomes in the guide'),
    reason: z.string().nullable().meta({
      description: 'Why the outcome is `unknown`, such as `no_reference`. The guide lists the reasons',
    }),
    is_decided: z.boolean(),
    allocations: z.array(
      z.strictObject({
        transaction_id: transactionId,
        kind: openEnum(['payment', 'return'], 'Whether the money arrived or was returned'),
        amount: cents('The part of the entry for this contribution'),
        confidence: openEnum(confidences, 'How the contribution was found. `repaired` is never confirmed'),
        state: openEnum(['proposed', 'confirmed'], 'Only confirmed money counts'),
      }),
    ),
  })
  .meta({ id: 'StatementEntry' });

export const pageOf = (item: z.ZodType) =>
  z.strictObject({ data: z.array(item), has_more: z.boolean(), next_cursor: z.string().nullable() });

const importStatement = endpoint({
  operationId: 'importStatement',
  method: 'post',
  path,
  summary: 'Upload a bank statement',
  description:
    'Upload a statement file from your bank. The content determines the format: camt.052, camt.053, camt.054, BAI2, NACHA returns, or CSV with a `mapping`. The service stores the entries and then compares them with your contributions. It does not store the file, names or account numbers. The same bytes with the same options get the first response again. Files may overlap and come in any order.',
  origin: 'addition',
  scope: 'statements:write',
  query: z.strictObject({
    account: accountName,
    direction: z.enum(directions, { error: 'Send credit or debit.' }).optional().meta({
      description:
        'The entries of a new account that pay contributions: `credit` (the default) if the account receives the money, `debit` if you pay from the account. If a known account has another direction, you get `account_direction_differs`',
    }),
    mapping: csvMapping,
    dry_run: flag('1 = read and check the file, and store nothing'),
  }),
  upload: {
    limitBytes: fileLimits.bytes,
    file: {
      mediaTypes: ['application/xml', 'text/xml', 'text/plain', 'text/csv', 'application/octet-stream'],
      description: 'The file as the bank sent it. In a form, send it in the field `file`.',
      example: exampleFile,
    },
  },
  responses: {
    200: {
      description: 'The file was uploaded before, or `dry_run` is 1.',
      headers: { 'Idempotent-Replayed': '`true` if the file was uploaded before.' },
      body: uploadedFile,
      example: { ...fileExample, state: 'matched', matched_entries: 1 },
    },
    202: { description: 'The entries are stored.', body: uploadedFile, example: fileExample },
  },
  errors: [
    'invalid_request',
    'malformed_body',
    'body_too_large',
    'unsupported_media_type',
    'statement_unreadable',
    'statement_options_differ',
    'account_direction_differs',
  ],
});

const listStatements = endpoint({
  operationId: 'listStatements',
  method: 'get',
  path,
  summary: 'List uploaded statements',
  description: 'The files that your environment uploaded, newest first.',
  origin: 'addition',
  scope: 'statements:read',
  query: z.strictObject({ limit: limit(100), cursor: cursor(readUuidCursor) }),
  responses: {
    200: {
      description: 'A page of files.',
      body: pageOf(file),
      example: { data: [fileExample], has_more: false, next_cursor: null },
    },
  },
  errors: ['invalid_request'],
});

const getStatement = endpoint({
  operationId: 'getStatement',
  method: 'get',
  path: `${path}/{file_id}`,
  summary: 'Read an uploaded statement',
  description: 'The progress, the checks and the totals of one file.',
  origin: 'addition',
  scope: 'statements:read',
  params: z.object({ file_id: fileIdInPath }),
  responses: { 200: { description: 'The file.', body: file, example: fileExample } },
  errors: ['invalid_request', 'statement_not_found'],
});

const listEntries = endpoint({
  operationId: 'listStatementEntries',
  method: 'get',
  path: `${path}/{file_id}/entries`,
  summary: 'List the entries of a statement',
  description:
    'The entries of one file with their outcomes. The outcomes take all your files into account. An entry appears in the list when it has been compared. The list is complete when the `state` of the file is `matched`.',
  origin: 'addition',
  scope: 'statements:read',
  params: z.object({ file_id: fileIdInPath }),
  query: z.strictObject({
    outcome: z.enum(entryOutcomes).optional().meta({ description: 'Only entries with this outcome' }),
    confidence: z.enum(confidences).optional().meta({
      description: 'Only entries with an allocation of this confidence',
    }),
    limit: limit(100),
    cursor: cursor(readUuidCursor),
  }),
  responses: {
    200: {
      description: 'A page of entries.',
      body: pageOf(entry),
      example: { data: [entryExample], has_more: false, next_cursor: null },
    },
  },
  errors: ['invalid_request', 'statement_not_found'],
});

const voidStatement = endpoint({
  operationId: 'voidStatement',
  method: 'post',
  path: `${path}/{file_id}/void`,
  summary: 'Void an uploaded statement',
  description:
    'Void a file, for example one of the wrong account. Its entries no longer count, unless another file has them too. The call is idempotent. The file can be uploaded again.',
  origin: 'addition',
  scope: 'statements:write',
  params: z.object({ file_id: fileIdInPath }),
  body: {
    accepts: ['json'],
    schema: z.object({ reason: requiredText(500, 'The reason for voiding the file') }),
    example: { reason: 'Statement of another account' },
  },
  responses: {
    200: {
      description: 'The file is voided.',
      body: file,
      example: {
        ...fileExample,
        state: 'voided',
        voided_at: '2026-11-23T09:00:00.000Z',
        void_reason: 'Statement of another account',
      },
    },
  },
  errors: [
    'invalid_request',
    'malformed_body',
    'body_too_large',
    'unsupported_media_type',
    'statement_not_found',
  ],
});

export const statementsContract = {
  importStatement,
  listStatements,
  getStatement,
  listEntries,
  voidStatement,
};

export type FileBody = z.output<typeof file>;
export type UploadedFileBody = z.output<typeof uploadedFile>;
export type EntryBody = z.output<typeof entry>;
