import { z } from 'zod';

import { endpoint } from '../../../../http/contract';
import { dayRange, daysInOrder } from '../../../../http/request/day-range';
import { cursor } from '../../../../http/request/fields';
import { pageSchema } from '../../../../http/response/page';
import { cursorReader } from '../../../../shared/cursor';
import { accountIdInPath } from '../../statement.fields';
import { day, daysAsCsv, question, questionsAsCsv } from './days.fields';

const ids = {
  account: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
  file: '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b',
  statement: '5b9c7a1e-0d2f-8a4b-8c6d-7e8f9a0b1c2d',
};

const account = { account_id: ids.account, account_ending: '3000', account_name: null } as const;

const statement = {
  file_id: ids.file,
  statement_id: ids.statement,
  format: 'camt.053',
  kind: 'final',
  bank_statement_id: 'STMT-2026-11-20',
  number: '221',
  made_at: '2026-11-21T01:00:00.000Z',
} as const;

const dayExample = {
  ...account,
  day: '2026-11-20',
  state: 'covered',
  reason: null,
  opening_balance: '1000.00',
  closing_balance: '1025.00',
  change: '25.00',
  counted_amount: '25.00',
  counted_entries: 1,
  proposed_amount: '0.00',
  proposed_entries: 0,
  is_pending: false,
  changed_at: null,
  statements: [{ ...statement, is_used: true }],
  questions: [],
} as const;

const questionExample = {
  ...account,
  from: '2026-11-20',
  to: '2026-11-20',
  kind: 'does_not_follow',
  text: 'The opening balance differs from the closing balance before it, or a number is missing. Upload the missing statement, void a wrong one, or accept the difference.',
  choices: [],
  versions: [],
  entry_id: null,
  gap: '2026-11-19 99000 100000',
  closing_before: '990.00',
  opening_after: '1000.00',
} as const;

const list = endpoint({
  operationId: 'listStatementAccountDays',
  method: 'get',
  path: '/company/integration/statement-accounts/{account_id}/days',
  summary: 'Show the days of an account',
  description:
    'Each day of the range: whether your statements cover it, its balances, what counts, and what must be answered. A page ends before the day with which it would have more than 50,000 lines.',
  origin: 'addition',
  scope: 'statements:read',
  trafficClass: 'lists',
  params: z.object({ account_id: accountIdInPath }),
  query: z
    .strictObject({ ...dayRange, cursor: cursor(cursorReader(z.tuple([z.iso.date()]))) })
    .superRefine(daysInOrder),
  responses: {
    200: {
      description: 'The days of the range, in order.',
      body: pageSchema(day),
      csv: daysAsCsv,
      example: { data: [dayExample], has_more: false, next_cursor: null },
    },
  },
  errors: ['invalid_request', 'statement_account_not_found'],
});

/** An account, and the day from which to read. */
const questionPlace = z.tuple([z.guid(), z.iso.date()]);

const questions = endpoint({
  operationId: 'listStatementQuestions',
  method: 'get',
  path: '/company/integration/reconciliation/questions',
  summary: 'List the open questions about your statements',
  description:
    'What a person must answer before the days count, over all accounts. A statement of several days asks once. A page can have few questions, even none, while `has_more` is true: the service examines a limited number of days for each page.',
  origin: 'addition',
  scope: 'statements:read',
  trafficClass: 'lists',
  query: z.strictObject({ cursor: cursor(cursorReader(questionPlace)) }),
  responses: {
    200: {
      description: 'A page of questions, by account and day.',
      body: pageSchema(question),
      csv: questionsAsCsv,
      example: { data: [questionExample], has_more: false, next_cursor: null },
    },
  },
  errors: ['invalid_request'],
});

export const daysContract = { list, questions };
