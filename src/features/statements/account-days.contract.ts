import { z } from 'zod';

import { endpoint } from '../../http/contract';
import { dayRange, daysInOrder } from '../../http/request/day-range';
import { cursor } from '../../http/request/fields';
import { cursorReader } from '../../shared/cursor';
import { dayStates } from './account-day.field';
import { accountIdInPath, openEnum } from './statement.fields';
import { cents, pageOf } from './statements.contract';

const day = z
  .strictObject({
    day: z.iso.date(),
    opening_balance: cents('Balance before the day. Null if no statement tells it').nullable(),
    closing_balance: cents('Balance after the day. Null if no statement tells it').nullable(),
    movement: cents('`closing_balance` minus `opening_balance`').nullable(),
    counted_amount: cents(
      'Sum of the booked entries of the day that count: credits minus debits. If a contribution counts more than its entry and the charges explain, the surplus is included',
    ),
    difference: cents('`counted_amount` minus `movement`. Null if the day is not checked').nullable(),
    state: openEnum(dayStates, '`different`: money of the day counts twice, too high, too low or not at all'),
    reason: z.string().nullable().meta({ description: 'Why the day is `not_checked`, as a sentence' }),
    file_ids: z.array(z.uuid()).meta({ description: 'The files whose statements tell a balance of the day' }),
  })
  .meta({ id: 'StatementAccountDay' });

const example = {
  day: '2026-11-20',
  opening_balance: '1000.00',
  closing_balance: '1025.00',
  movement: '25.00',
  counted_amount: '25.00',
  difference: '0.00',
  state: 'balanced',
  reason: null,
  file_ids: ['019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b'],
} as const;

export const listAccountDays = endpoint({
  operationId: 'listStatementAccountDays',
  method: 'get',
  path: '/company/integration/statement-accounts/{account_id}/days',
  summary: 'Check the days of an account',
  description:
    'For each day of the range, compare the entries that count with the balances of your statements. A page has at least one day.',
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
      body: pageOf(day),
      example: { data: [example], has_more: false, next_cursor: null },
    },
  },
  errors: ['invalid_request', 'statement_account_not_found'],
});

export type AccountDayBody = z.output<typeof day>;
