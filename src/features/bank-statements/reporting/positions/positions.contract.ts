import { z } from 'zod';

import { endpoint } from '../../../../http/contract';
import { cursor, limit, timestamp } from '../../../../http/request/fields';
import { cursorOfTheseFilters } from '../../../../core/contributions/list-cursor.field';
import { readPageCursor } from '../../../../core/contributions/contributions.cursor';
import { dollars, transactionId } from '../../../../core/contributions/contribution-response.fields';
import { transactionIdInPath } from '../../../../core/contributions/contribution.fields';
import { contributionStatuses } from '../../../../core/contributions/contribution-status.field';
import { positions } from './position.field';
import { openEnum } from '../../statement.fields';
import { pageSchema } from '../../../../http/response/page';
import { cents, csvOf, plain } from '../days/days.fields';
import { entryExample } from '../lines/lines.contract';
import { entry } from '../lines/lines.fields';

const path = '/company/integration/reconciliation';

const money = {
  transaction_id: transactionId,
  company_id: z.uuid(),
  status: openEnum(contributionStatuses, 'The status of the contribution'),
  position: openEnum(positions, 'See the table of positions in the guide'),
  is_open: z.boolean().meta({ description: 'Whether the position needs investigation' }),
  is_decided: z.boolean().meta({ description: 'Whether a decision accepted the difference' }),
  expected_amount: dollars('Amount of the contribution', '25.00'),
  gross_amount: cents('Money that arrived according to your statements'),
  returned_amount: cents('Money that went back according to your statements or recorded returns'),
  net_amount: cents('`gross_amount` minus `returned_amount`'),
  due_day: z.iso.date().nullable().meta({
    description:
      'The day by which the money of a completed contribution should have arrived. Null for `completed_by_another`',
  }),
  company_name: z.string(),
  created_at: z.iso.datetime(),
  completed_at: z.iso.datetime().nullable(),
  bank_reference: z.string().nullable().meta({ description: "The bank's reference of the completion" }),
  value_date: z.iso.date().nullable().meta({ description: 'The value date of the completion' }),
  entries_to_check: z.int().meta({
    description:
      'Number of entries that may concern the contribution, but do not count yet. For every position: returns that are `proposed` for it. If no money or too little has arrived, or it was returned: also payments that are `proposed` for it. For `completed_without_money` and `short`: also entries on the days on which its money was due whose outcome is `unreadable` or `sums_differ`, or whose reason is `several_references`, `settlement_differs` or `wrong_check_character`. An entry without a transaction id is not included, but can be the payment too',
  }),
  completed_by_you: z.boolean().meta({
    description: 'Whether your environment completed the contribution. False while it is pending',
  }),
  explanation: z.string().meta({ description: 'What arrived, what is missing, and what to do' }),
};

const example = {
  transaction_id: 'K7Q20CR5M3V9XHG',
  company_id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
  status: 'completed',
  position: 'matched',
  is_open: false,
  is_decided: false,
  expected_amount: '25.00',
  gross_amount: '25.00',
  returned_amount: '0.00',
  net_amount: '25.00',
  due_day: '2026-11-25',
  company_name: 'Brightside Apps',
  created_at: '2026-11-20T10:00:00.000Z',
  completed_at: '2026-11-20T14:30:00.000Z',
  bank_reference: 'FT-2026-0042',
  value_date: '2026-11-20',
  entries_to_check: 0,
  completed_by_you: true,
  explanation: '25.00 of 25.00 arrived. Its full amount arrived.',
} as const;

const item = z.strictObject(money).meta({ id: 'ContributionPosition' });

const range = {
  from: timestamp('Only contributions that were created at this time or later'),
  to: timestamp('Only contributions that were created before this time. Later than `from`'),
};

/**
 * Rejects a range that ends before it starts. It has no open position, so it would look like a
 * closed month.
 */
function timesInOrder(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  context: z.RefinementCtx,
): void {
  if (from === undefined || to === undefined || Date.parse(from) < Date.parse(to)) return;
  context.addIssue({
    code: 'custom',
    path: ['to'],
    message: 'Send a time after from.',
    params: { code: 'out_of_range' },
  });
}

const list = endpoint({
  operationId: 'listReconciliation',
  method: 'get',
  path,
  summary: 'List contributions with their positions',
  description:
    'Compare your contributions with your statements, oldest first. A page can have fewer items than `limit`, even none, while `has_more` is true. The service examines a limited number of contributions for each page.',
  origin: 'addition',
  scope: 'statements:read',
  trafficClass: 'lists',
  query: z
    .strictObject({
      position: z.enum(positions).optional().meta({ description: 'Only contributions with this position' }),
      open: z
        .enum(['1'], { error: 'Send 1.' })
        .optional()
        .meta({
          type: 'integer',
          enum: [1],
          description: '1 = only contributions that need investigation',
        }),
      ...range,
      limit: limit(100),
      cursor: cursor(readPageCursor),
    })
    .superRefine(timesInOrder)
    .superRefine(cursorOfTheseFilters),
  responses: {
    200: {
      description: 'A page of contributions.',
      body: pageSchema(item),
      csv: csvOf(item, plain(...(Object.keys(item.shape) as (keyof PositionBody)[]))),
      example: { data: [example], has_more: false, next_cursor: null },
    },
  },
  errors: ['invalid_request'],
});

const summary = endpoint({
  operationId: 'getReconciliationSummary',
  method: 'get',
  path: `${path}/summary`,
  summary: 'Count contributions by position',
  description:
    'The number of contributions and the sums for each position. The range can contain at most 50,000 contributions. If it contains more, `is_complete` is false: choose a shorter range.',
  origin: 'addition',
  scope: 'statements:read',
  trafficClass: 'lists',
  query: z.strictObject(range).superRefine(timesInOrder),
  responses: {
    200: {
      description: 'One element for each position that occurs.',
      body: z.strictObject({
        is_complete: z.boolean().meta({ description: 'Whether all contributions of the range are included' }),
        days_to_compare: z.int().meta({
          description:
            'Number of days of your accounts whose lines the service is still comparing. If it is not 0, payments can be missing: read the summary again later',
        }),
        open: z.int().meta({
          description:
            'Contributions that need investigation. `unconfirmed` contributions are not included, although their money is not confirmed',
        }),
        positions: z.array(
          z.strictObject({
            position: openEnum(positions, 'See the table of positions in the guide'),
            contributions: z.int(),
            open: z.int(),
            expected_amount: cents('Sum of the amounts'),
            net_amount: cents('Sum of the money that arrived and stayed'),
          }),
        ),
      }),
      example: {
        is_complete: true,
        days_to_compare: 0,
        open: 0,
        positions: [
          { position: 'matched', contributions: 1, open: 0, expected_amount: '25.00', net_amount: '25.00' },
        ],
      },
    },
  },
  errors: ['invalid_request'],
});

const ofContribution = endpoint({
  operationId: 'getContributionMoney',
  method: 'get',
  path: '/company/integration/contributions/{transaction_id}/money',
  summary: 'Get the payments of a contribution',
  description: 'What your statements say about one contribution, with the entries that pay or return it.',
  origin: 'addition',
  scope: 'statements:read',
  params: z.object({ transaction_id: transactionIdInPath }),
  responses: {
    200: {
      description: 'The position and its entries.',
      body: z.strictObject({
        ...money,
        entries: z
          .array(entry)
          .meta({ description: 'The entries that pay or return it, or may do. At most 100' }),
      }),
      example: { ...example, entries: [entryExample] },
    },
  },
  errors: ['invalid_request', 'transaction_not_found'],
});

export const positionsContract = { list, summary, ofContribution };

export type PositionBody = z.output<typeof item>;
