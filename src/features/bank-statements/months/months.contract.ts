import { z } from 'zod';

import { endpoint } from '../../../http/contract';
import { field, refuse, requiredText, uuidField } from '../../../http/request/fields';
import { openEnum } from '../statement.fields';
import { cents, csvOf, plain } from '../reporting/days/days.fields';

const path = '/company/integration/reconciliation';

/** A month of the bank's booking days, in a path or a query: YYYY-MM. */
const month = field(
  { type: 'string', pattern: '^[0-9]{4}-[0-9]{2}$', description: 'The month', examples: ['2026-11'] },
  (value) =>
    typeof value === 'string' && /^(?!0000)\d{4}-(0[1-9]|1[0-2])$/.test(value)
      ? value
      : refuse('invalid_format', 'Send a month such as 2026-11.'),
);

const reason = z
  .strictObject({
    account_id: z.uuid().nullable().meta({ description: 'Null if the reason is the month itself' }),
    kind: z.string(),
    from: z.iso.date(),
    to: z.iso.date().meta({ description: 'The last day' }),
    entries: z.int().nullable().meta({ description: 'The number of entries, if it is about entries' }),
    text: z.string().meta({ description: 'What keeps the month open, and what to do' }),
  })
  .meta({ id: 'CloseReason' });

export type CloseReasonBody = z.output<typeof reason>;

const canCloseBody = z.strictObject({
  month: z.string(),
  can_close: z.boolean(),
  entries_to_explain: z.int().meta({
    description:
      'Number of entries of the month in the list of entries to explain, without those of the reason `lines_to_decide`. They do not keep the month open, but nobody can decide about them while it is closed',
  }),
  data: z.array(reason),
});

export type CanCloseBody = z.output<typeof canCloseBody>;

const numbers = z.array(
  z.strictObject({
    account_id: z.uuid(),
    opening_balance: cents('Balance before the month').nullable(),
    matched: cents('Matched entries'),
    returned: cents('Returned money'),
    charges: cents('Charges of the bank'),
    ignored: cents('Ignored entries'),
    unexplained: cents('Entries without an explanation'),
    closing_balance: cents('Balance after the month').nullable(),
  }),
);

export type MonthNumbersBody = z.output<typeof numbers>;

const accountId = '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b';
const numbersExample = [
  {
    account_id: accountId,
    opening_balance: '1000.00',
    matched: '125.00',
    returned: '-25.00',
    charges: '-3.50',
    ignored: '0.00',
    unexplained: '10.00',
    closing_balance: '1106.50',
  },
];

const canClose = endpoint({
  operationId: 'canCloseMonth',
  method: 'get',
  path: `${path}/can-close`,
  summary: 'Check whether a month can be closed',
  description:
    'Every reason that keeps the month open, with the account and the days. Empty if it can be closed. Entries without an explanation are no reason: `entries_to_explain` has their number.',
  origin: 'addition',
  scope: 'statements:read',
  trafficClass: 'lists',
  query: z.strictObject({ month }),
  responses: {
    200: {
      description: 'The reasons.',
      body: canCloseBody,
      csv: csvOf(reason, plain('account_id', 'kind', 'from', 'to', 'entries', 'text')),
      example: {
        month: '2026-11',
        can_close: false,
        entries_to_explain: 2,
        data: [
          {
            account_id: accountId,
            kind: 'days_missing',
            from: '2026-11-19',
            to: '2026-11-20',
            entries: null,
            text: 'No statement covers these days. Upload their statements, or accept the gap at the next statement.',
          },
        ],
      },
    },
  },
  errors: ['invalid_request'],
});

const state = z
  .strictObject({
    month: z.string(),
    is_closed: z.boolean(),
    numbers: numbers.meta({ description: 'The numbers of now, by account' }),
    changes: z
      .array(
        z.strictObject({
          number: z.int(),
          kind: openEnum(['closed', 'reopened'], 'What was done'),
          reason: z.string(),
          changed_at: z.iso.datetime(),
          numbers: numbers.meta({ description: 'The numbers at that time' }),
        }),
      )
      .meta({ description: 'The newest 100, newest first' }),
  })
  .meta({ id: 'AccountingMonth' });

export type MonthBody = z.output<typeof state>;

const example = {
  month: '2026-11',
  is_closed: true,
  numbers: numbersExample,
  changes: [
    {
      number: 1,
      kind: 'closed' as const,
      reason: 'All statements are reconciled',
      changed_at: '2026-12-03T09:00:00.000Z',
      numbers: numbersExample,
    },
  ],
};

const params = z.object({ month });
const changeErrors = [
  'invalid_request',
  'malformed_body',
  'body_too_large',
  'unsupported_media_type',
  'decision_not_applicable',
] as const;

const get = endpoint({
  operationId: 'getMonth',
  method: 'get',
  path: `${path}/months/{month}`,
  summary: 'Show a month',
  description: 'The numbers of each account now, beside those of each closing and reopening.',
  origin: 'addition',
  scope: 'statements:read',
  trafficClass: 'lists',
  params,
  responses: { 200: { description: 'The month.', body: state, example } },
  errors: ['invalid_request'],
});

const close = endpoint({
  operationId: 'closeMonth',
  method: 'post',
  path: `${path}/months/{month}/close`,
  summary: 'Close a month',
  description:
    'Close a month for all accounts, if nothing of it is open. Afterwards, decisions, voids and answers about its days are refused, and new versions of its days become questions. The call is idempotent.',
  origin: 'addition',
  scope: 'reconciliation:resolve',
  params,
  body: {
    accepts: ['json'],
    schema: z.object({
      reason: requiredText(500, 'The reason, for people who read it later'),
      accounts_without_statements: z.array(uuidField('An account')).max(1_000).optional().meta({
        description: 'Accounts that have no statements, or no further ones, in this month',
      }),
    }),
    example: { reason: 'All statements are reconciled' },
  },
  responses: { 200: { description: 'The month is closed.', body: state, example } },
  errors: changeErrors,
});

const reopen = endpoint({
  operationId: 'reopenMonth',
  method: 'post',
  path: `${path}/months/{month}/reopen`,
  summary: 'Reopen a month',
  description:
    'Reopen a closed month. What came after its closing counts from now on. The call is idempotent.',
  origin: 'addition',
  scope: 'reconciliation:resolve',
  params,
  body: {
    accepts: ['json'],
    schema: z.object({ reason: requiredText(500, 'The reason, for people who read it later') }),
    example: { reason: 'The bank corrected a statement' },
  },
  responses: {
    200: { description: 'The month is open.', body: state, example: { ...example, is_closed: false } },
  },
  errors: changeErrors,
});

export const monthsContract = { canClose, get, close, reopen };
