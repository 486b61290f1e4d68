import { fileLimits } from '@contribution-service/bank-files';
import { z } from 'zod';

import { endpoint } from '../../../http/contract';
import { cursor, limit, requiredText } from '../../../http/request/fields';
import { pageSchema } from '../../../http/response/page';
import { readUuidCursor } from '../../../shared/uuid-cursor';
import { accountName, directions, fileIdInPath, openEnum } from '../../statements/statement.fields';
import { exampleFile } from '../../statements/statement-examples.fields';
import { csvOf, plain } from '../reporting/days/days.fields';
import { csvMapping } from './csv-mapping.field';

const path = '/company/integration/statements';

const file = z
  .strictObject({
    file_id: z.uuid(),
    state: openEnum(
      ['received', 'reading', 'read', 'rejected', 'failed', 'voided'],
      '`received`: stored, and waits to be read. `reading`: it is being read. `read`: its lines are stored. `rejected`: it cannot be read, see `reason`. `failed`: the service could not read it, so send it again. `voided`: you took it back',
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
      description: 'The file was uploaded before.',
      headers: { 'Idempotent-Replayed': '`true`' },
      body: file,
      example: readExample,
    },
    202: { description: 'The file is stored, and will be read.', body: file, example },
  },
  errors: [
    'invalid_request',
    'malformed_body',
    'body_too_large',
    'unsupported_media_type',
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
  responses: { 200: { description: 'The file.', body: file, example: readExample } },
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
    'decision_not_applicable',
  ],
});

export const uploadsContract = { importStatement, list, get, voidStatement };
