import { z } from 'zod';

import { endpoint } from '../../http/endpoint';
import {
  type AmountLimits,
  currency,
  cursor,
  idempotencyKey,
  idInPath,
  limit,
  optionalAmount,
  optionalDate,
  optionalText,
  optionalUserHash,
  timestamp,
  transactionIdInPath,
} from '../../http/fields';
import { largestAmountCents } from '../../shared/money';
import { newContributionContract, transactionId } from '../transactions/new-contribution.contract';
import { orderOf, type PageCursor, readPageCursor } from './contributions.cursor';

const status = z.enum(['pending', 'completed']).meta({
  description: 'Open: treat a value that you do not know as not completed.',
  'x-open-enum': true,
});

/** A cursor of a list by creation names no place in one by completion. */
function cursorOfThisOrder(
  query: {
    completed_from?: string | undefined;
    completed_to?: string | undefined;
    cursor?: PageCursor | undefined;
  },
  context: z.RefinementCtx,
): void {
  if (query.cursor === undefined || query.cursor.order === orderOf(query)) return;
  context.addIssue({
    code: 'custom',
    path: ['cursor'],
    message: `Send the filters of the answer before too: its list was ordered by the time when it was ${query.cursor.order}.`,
    params: { code: 'invalid_format' },
  });
}

/** A company's own transaction, or a bank's view of one that it completes: then without the last three. */
const contribution = z
  .strictObject({
    transaction_id: transactionId,
    status,
    project_id: z.int(),
    amount: z.string().meta({
      description: 'US dollars with two decimals',
      pattern: '^[0-9]+\\.[0-9]{2}$',
      examples: ['25.00'],
    }),
    currency: z.literal('USD'),
    created_at: z.iso.datetime(),
    completed_at: z.iso.datetime().nullable(),
    bank_reference: z.string().nullable(),
    value_date: z.iso.date().nullable(),
    user_hash: z
      .string()
      .nullable()
      .optional()
      .meta({ description: 'Only for the company itself; null once forgotten' }),
    name: z.string().nullable().optional().meta({ description: 'Only for the company itself' }),
    idempotency_key: z.string().nullable().optional().meta({ description: 'Only for the company itself' }),
  })
  .meta({ id: 'Contribution' });

const example = {
  transaction_id: 'K7Q20CR5M3V9XHG',
  status: 'completed',
  project_id: 1,
  amount: '25.00',
  currency: 'USD',
  created_at: '2026-11-20T09:30:00.000Z',
  completed_at: '2026-11-20T09:31:12.000Z',
  bank_reference: 'FT-2026-0042',
  value_date: '2026-11-20',
} as const;

export function contributionsContract(limits: AmountLimits) {
  const create = newContributionContract(limits);
  return {
    create: endpoint({
      operationId: 'createContribution',
      method: 'put',
      path: '/company/integration/contributions/create',
      summary: 'Create a contribution transaction',
      description:
        'Sent when a user has chosen a project and confirmed an amount. Send an Idempotency-Key: then the request may be repeated until an answer arrives.',
      origin: 'specification 4.5',
      scope: 'contributions:create',
      headers: create.headers,
      body: { schema: create.body, accepts: ['json'], example: create.bodyExample },
      responses: create.responses,
      errors: create.errors,
    }),

    complete: endpoint({
      operationId: 'completeContribution',
      method: 'put',
      path: '/company/integration/contributions/{transaction_id}',
      summary: 'Complete a contribution transaction',
      description:
        'Sent by the partner bank after it has moved the money. Repeat it until an answer arrives: a repeat succeeds and changes nothing.',
      origin: 'specification 4.6',
      scope: 'contributions:complete',
      params: z.object({ transaction_id: transactionIdInPath }),
      body: {
        accepts: ['json'],
        schema: z.object({
          status: z.literal('completed', { error: 'Send "completed".' }),
          // Whatever the bank says that it moved is worth recording.
          amount: optionalAmount({ minimumCents: 1n, maximumCents: largestAmountCents }),
          currency,
          bank_reference: optionalText(140, "The bank's own reference of the transfer"),
          value_date: optionalDate('The day on which the money was moved'),
        }),
        example: {
          status: 'completed',
          amount: '25.00',
          bank_reference: 'FT-2026-0042',
          value_date: '2026-11-20',
        },
      },
      responses: {
        200: {
          description: 'The transaction is completed, now or before.',
          headers: { 'Idempotent-Replayed': '"true" when it was completed before.' },
          body: z.strictObject({
            transaction_id: transactionId,
            status: z.literal('completed'),
            message: z.string(),
          }),
          example: {
            transaction_id: 'K7Q20CR5M3V9XHG',
            status: 'completed',
            message: 'The transaction was updated to completed.',
          },
        },
      },
      errors: [
        'invalid_request',
        'malformed_body',
        'body_too_large',
        'unsupported_media_type',
        'transaction_not_found',
        'completion_reserved_for_bank',
        'amount_mismatch',
      ],
    }),

    get: endpoint({
      operationId: 'getContribution',
      method: 'get',
      path: '/company/integration/contributions/{transaction_id}',
      summary: 'Get one contribution transaction',
      description: 'For the company that created it and for the bank that completes it.',
      origin: 'addition',
      scope: 'contributions:read',
      params: z.object({ transaction_id: transactionIdInPath }),
      responses: { 200: { description: 'The transaction.', body: contribution, example } },
      errors: ['transaction_not_found'],
    }),

    list: endpoint({
      operationId: 'listContributions',
      method: 'get',
      path: '/company/integration/contributions',
      summary: 'List contribution transactions',
      description:
        "A company's own transactions, and those that a bank completes, oldest first by creation, or by completion when completed_from or completed_to is given. Times are UTC, from inclusive, to exclusive. To find a contribution whose answer was lost, filter by idempotency_key or user_hash. A parameter that is not known is refused, because a mistyped filter would silently show more. Everything before complete_until is in: use it as the next created_from (or completed_from) and nothing is missed.",
      origin: 'addition',
      scope: 'contributions:read',
      query: z
        .strictObject({
          status: z.enum(['pending', 'completed'], { error: 'Send pending or completed.' }).optional(),
          created_from: timestamp('Created at or after'),
          created_to: timestamp('Created before'),
          completed_from: timestamp('Completed at or after'),
          completed_to: timestamp('Completed before'),
          project_id: idInPath('Only of this project').optional(),
          user_hash: optionalUserHash,
          idempotency_key: idempotencyKey,
          limit: limit(100),
          cursor: cursor(readPageCursor),
        })
        .superRefine(cursorOfThisOrder),
      responses: {
        200: {
          description: 'One page.',
          body: z.strictObject({
            data: z.array(contribution),
            has_more: z.boolean(),
            next_cursor: z.string().nullable(),
            complete_until: z.iso.datetime().meta({
              description: 'No transaction that is not visible yet will ever show a time before this one.',
            }),
          }),
          example: {
            data: [example],
            has_more: false,
            next_cursor: null,
            complete_until: '2026-11-20T10:00:00.000Z',
          },
        },
      },
      errors: ['invalid_request'],
    }),
  };
}
