import { fileLimits, type Outcome, outcomes } from '@contribution-service/bank-files';
import { z } from 'zod';

import { endpoint } from '../../../http/contract';
import { cursor, flag, limit, requiredText } from '../../../http/request/fields';
import { pageSchema } from '../../../http/response/page';
import { readUuidCursor } from '../../../shared/uuid-cursor';
import { accountName, directions, fileIdInPath, openEnum } from '../statement.fields';
import { exampleFile } from './example-file.field';
import { csvOf, plain } from '../reporting/days/days.fields';
import { csvMapping } from './csv-mapping.field';

const path = '/company/integration/statements';

const file = z
  .strictObject({
    file_id: z.uuid().meta({ description: 'All zeros after a dry run' }),
    state: openEnum(
      ['checked', 'received', 'reading', 'read', 'rejected', 'failed', 'voided'],
      '`checked`: a dry run stored nothing. `received`: stored, and waits to be read. `reading`: it is being read. `read`: its lines are stored. `rejected`: it cannot be read, see `reason`. `failed`: the service could not read it, so send it again. `voided`: you took it back',
    ),
    reason: z.string().nullable().meta({ description: 'Why it was rejected or has failed' }),
    format: z.string().nullable(),
    version: z.string().nullable(),
    bytes: z.int(),
    statements: z.int().nullable().meta({ description: 'The number of statements. Null until it was read' }),
    entries: z.int().meta({ description: 'The number of entries that were read so far' }),
    problems: z.array(z.strictObject({ line: z.int(), message: z.string() })).meta({
      description: 'Contradictions in the file, such as wrong totals',
    }),
    received_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable().meta({ description: 'When its reading ended' }),
    voided_at: z.iso.datetime().nullable(),
    void_reason: z.string().nullable(),
  })
  .meta({ id: 'StatementUpload' });

export type UploadBody = z.output<typeof file>;

const reading = z.strictObject({
  accounts: z.array(
    z.strictObject({
      account_id: z
        .uuid()
        .nullable()
        .meta({ description: 'Null for an account that an upload would create' }),
      account_ending: z.string().nullable(),
      currency: z.string().nullable(),
    }),
  ),
  outcomes: z
    .strictObject(
      Object.fromEntries(outcomes.map((outcome) => [outcome, z.int()])) as Record<Outcome, z.ZodInt>,
    )
    .meta({
      description: 'The number of entries with each outcome. `found`: the texts contain one transaction id',
    }),
  csv: z
    .strictObject({
      header_line: z.int().nullable(),
      skipped_lines: z
        .array(z.int())
        .meta({ description: 'The first lines that are no entries, such as totals' }),
      questions: z.array(z.string()).meta({
        description: 'What the mapping must say before an upload is accepted',
      }),
    })
    .nullable()
    .meta({ description: 'How a CSV file was read' }),
});

const checkedFile = file
  .extend({ reading: reading.optional().meta({ description: 'Only in a dry run: what the file contains' }) })
  .meta({ id: 'CheckedStatementUpload' });

export type CheckedBody = z.output<typeof checkedFile>;

const example = {
  file_id: '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b',
  state: 'received',
  reason: null,
  format: null,
  version: null,
  bytes: 1_482,
  statements: null,
  entries: 0,
  problems: [],
  received_at: '2026-11-23T08:15:00.000Z',
  ended_at: null,
  voided_at: null,
  void_reason: null,
} as const;

const readExample = {
  ...example,
  ...{ state: 'read', format: 'camt.053', version: '08', statements: 1, entries: 1 },
  ended_at: '2026-11-23T08:15:02.000Z',
} as const;

const importStatement = endpoint({
  operationId: 'importStatement',
  method: 'post',
  path,
  summary: 'Upload a bank statement',
  description:
    'Upload a statement file from your bank, also compressed with gzip or in a ZIP file. The content determines the format: camt.052, camt.053, camt.054, BAI2, NACHA returns, or CSV with a `mapping`. After 202, the file is stored, and read afterwards: `GET /company/integration/statements/{file_id}` shows its state. The service deletes the file when it was read. The same bytes with the same options get the first upload again. Files may overlap and come in any order.',
  origin: 'addition',
  scope: 'statements:write',
  query: z.strictObject({
    account: accountName,
    direction: z.enum(directions, { error: 'Send credit or debit.' }).optional().meta({
      description:
        'The entries of a new account that pay contributions: `credit` (the default) if the account receives the money, `debit` if you pay from the account',
    }),
    mapping: csvMapping,
    dry_run: flag('1 = read and check the file, and store nothing'),
  }),
  upload: {
    limitBytes: fileLimits.bytes,
    file: {
      mediaTypes: [
        'application/xml',
        'text/xml',
        'text/plain',
        'text/csv',
        'application/octet-stream',
        'application/gzip',
        'application/zip',
      ],
      description:
        'The file as the bank sent it. In a form, send it in the field `file`. Compress a file above 16 MiB with gzip: up to 400 MiB of XML are accepted.',
      example: exampleFile,
    },
  },
  responses: {
    200: {
      description: 'The file was uploaded before, or `dry_run` is 1.',
      headers: { 'Idempotent-Replayed': '`true` if the file was uploaded before.' },
      body: checkedFile,
      example: readExample,
    },
    202: { description: 'The file is stored, and will be read.', body: file, example },
  },
  errors: [
    'invalid_request',
    'malformed_body',
    'body_too_large',
    'unsupported_media_type',
    'statement_unreadable',
    'statement_options_differ',
  ],
});

const list = endpoint({
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
      body: pageSchema(file),
      csv: csvOf(file, {
        ...plain('file_id', 'state', 'reason', 'format', 'version', 'bytes', 'statements', 'entries'),
        problems: ({ problems }) =>
          problems.map(({ line, message }) => `line ${line}: ${message}`).join('; '),
        ...plain('received_at', 'ended_at', 'voided_at', 'void_reason'),
      }),
      example: { data: [readExample], has_more: false, next_cursor: null },
    },
  },
  errors: ['invalid_request'],
});

const get = endpoint({
  operationId: 'getStatement',
  method: 'get',
  path: `${path}/{file_id}`,
  summary: 'Read an uploaded statement',
  description: 'The progress of one file, and what it contained.',
  origin: 'addition',
  scope: 'statements:read',
  params: z.object({ file_id: fileIdInPath }),
  responses: {
    200: {
      description: 'The file.',
      body: file
        .extend({
          accounts: z
            .array(
              z.strictObject({
                account_id: z.uuid(),
                account_ending: z.string().nullable(),
                account_name: z.string().nullable(),
                statements: z.int(),
                from: z.iso.date().meta({ description: 'The first day of the statements' }),
                to: z.iso.date().meta({ description: 'Their last day' }),
              }),
            )
            .meta({ description: 'The accounts of its statements. Empty until it was read' }),
        })
        .meta({ id: 'StatementUploadWithAccounts' }),
      example: {
        ...readExample,
        accounts: [
          {
            ...{ account_id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b', account_ending: '3000' },
            ...{ account_name: null, statements: 1, from: '2026-11-20', to: '2026-11-20' },
          },
        ],
      },
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
    'Take a file back, for example one of the wrong account. Its lines no longer count, unless another file has them too. The call is idempotent. The file can be uploaded again.',
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
        ...readExample,
        ...{ state: 'voided', voided_at: '2026-11-23T09:00:00.000Z' },
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
    'month_closed',
  ],
});

export const uploadsContract = { importStatement, list, get, voidStatement };
