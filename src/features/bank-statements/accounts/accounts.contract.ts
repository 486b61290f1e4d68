import { z } from 'zod';

import { endpoint } from '../../../http/contract';
import { cursor, integerInBody, limit } from '../../../http/request/fields';
import { defaultGraceDays, mostGraceDays } from './grace-days.field';
import { accountIdInPath, directions, openEnum } from '../statement.fields';
import { pageSchema } from '../../../http/response/page';
import { readUuidCursor } from '../../../shared/uuid-cursor';

const path = '/company/integration/statement-accounts';

const account = z
  .strictObject({
    account_id: z.uuid(),
    account_ending: z.string().nullable().meta({ description: 'Last four characters of the account number' }),
    account_name: z.string().nullable().meta({
      description: 'Your own name for the account (`account`), if its files state no account number',
    }),
    direction: openEnum(directions, 'The entries that pay contributions'),
    complete_coverage: z.boolean().meta({
      description: 'Whether the statements of this account show all money of your contributions',
    }),
    grace_days: z.int().meta({ description: 'The banking days that money may take after a completion' }),
    covered_from: z.iso.date().nullable().meta({
      description:
        'The first day of the latest period that final statements cover without a gap. Null if no statement covers a whole day',
    }),
    covered_to: z.iso
      .date()
      .nullable()
      .meta({ description: 'The last day of the period that begins on `covered_from`' }),
    coverage_reason: z.string().nullable().meta({
      description:
        'Why the next day with a statement is not covered, or why no day is. Null if all days with statements are covered',
    }),
    remembered_answer: z.enum(['newest', 'all_lines']).nullable().meta({
      description:
        'The answer that you remember for questions about two versions. To end it, undo an answer with `remember` = `nothing`',
    }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'StatementAccount' });

const example = {
  account_id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
  account_ending: '3000',
  account_name: null,
  direction: 'credit',
  complete_coverage: true,
  grace_days: 3,
  covered_from: '2026-11-01',
  covered_to: '2026-11-20',
  coverage_reason: null,
  remembered_answer: null,
  created_at: '2026-11-23T08:15:00.000Z',
} as const;

const list = endpoint({
  operationId: 'listStatementAccounts',
  method: 'get',
  path,
  summary: 'List the accounts of your statements',
  description:
    'The accounts of all uploaded statements, oldest first. An account is omitted if all its files are voided, unless it has `complete_coverage`.',
  origin: 'addition',
  scope: 'statements:read',
  query: z.strictObject({ limit: limit(100), cursor: cursor(readUuidCursor) }),
  responses: {
    200: {
      description: 'A page of accounts.',
      body: pageSchema(account),
      example: { data: [example], has_more: false, next_cursor: null },
    },
  },
  errors: ['invalid_request'],
});

const set = endpoint({
  operationId: 'setStatementAccount',
  method: 'put',
  path: `${path}/{account_id}`,
  summary: 'Set the coverage and the direction of an account',
  description:
    'With `complete_coverage`, a completed contribution without money gets the position `completed_without_money` when your statements cover the days on which its money is due. If several accounts have `complete_coverage`, the statements of all of them must cover these days.',
  origin: 'addition',
  scope: 'statements:write',
  params: z.object({ account_id: accountIdInPath }),
  body: {
    accepts: ['json'],
    schema: z.object({
      complete_coverage: z.boolean({ error: 'Send true or false.' }).meta({
        description:
          'Whether this account shows all money of your contributions, alone or together with other accounts that have `complete_coverage`',
      }),
      grace_days: integerInBody(
        0,
        mostGraceDays,
        `The banking days that money may take after a completion. Default ${defaultGraceDays}`,
      ),
      direction: z.enum(directions, { error: 'Send credit or debit.' }).optional().meta({
        description:
          'The entries that pay contributions. If you change it, the entries of the account are compared again',
      }),
    }),
    example: { complete_coverage: true, grace_days: 3 },
  },
  responses: { 200: { description: 'The account.', body: account, example } },
  errors: [
    'invalid_request',
    'malformed_body',
    'body_too_large',
    'unsupported_media_type',
    'statement_account_not_found',
    'month_closed',
    'decision_not_applicable',
  ],
});

export const accountsContract = { list, set };

export type AccountBody = z.output<typeof account>;
