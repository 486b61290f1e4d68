import { z } from 'zod';

import { endpoint } from '../../http/endpoint';
import { cursor, idInPath, limit, optionalDate, optionalText, timestamp } from '../../http/request/fields';
import {
  type AmountLimits,
  companyId,
  currency,
  idempotencyKey,
  optionalAmount,
  transactionIdInPath,
} from './contribution.fields';
import { optionalUserHash } from '../users/user-hash.field';
import { largestAmountCents } from '../../shared/money';
import { contributionStatuses } from './contribution-status.field';
import { createContributionContract, transactionId } from './create-contribution.contract';
import { digestOfFilters, type PageCursor, readPageCursor } from './contributions.cursor';

const status = z.enum(contributionStatuses).meta({
  description: 'More values may be added. Treat an unknown value as not completed.',
  'x-open-enum': true,
});

/** With different filters, a cursor would skip or repeat rows. */
function cursorOfTheseFilters(query: { cursor?: PageCursor | undefined }, context: z.RefinementCtx): void {
  if (query.cursor === undefined || query.cursor.filters === digestOfFilters({ ...query })) return;
  context.addIssue({
    code: 'custom',
    path: ['cursor'],
    message:
      'The cursor belongs to a list with different filters. Keep the filters of the first page, and change only cursor and limit.',
    params: { code: 'invalid_format' },
  });
}

/** A contribution as its company sees it. A bank sees it without the last three fields. */
const contribution = z
  .strictObject({
    transaction_id: transactionId,
    company_id: z.uuid().meta({ description: 'The company that created the contribution' }),
    company_name: z.string(),
    status,
    project_id: z.int(),
    amount: z.string().meta({
      description: 'Amount in US dollars, with two decimals',
      pattern: '^[0-9]+\\.[0-9]{2}$',
      examples: ['25.00'],
    }),
    currency: z.literal('USD'),
    created_at: z.iso.datetime(),
    completed_at: z.iso.datetime().nullable(),
    completed_by_you: z.boolean().meta({
      description: 'Whether your environment completed the contribution. False while it is pending',
    }),
    bank_reference: z.string().nullable(),
    value_date: z.iso.date().nullable(),
    user_hash: z.string().nullable().optional().meta({
      description:
        'Visible only to the company that created the contribution. Null after the user is forgotten',
    }),
    name: z
      .string()
      .nullable()
      .optional()
      .meta({ description: 'Visible only to the company that created the contribution' }),
    idempotency_key: z
      .string()
      .nullable()
      .optional()
      .meta({ description: 'Visible only to the company that created the contribution' }),
  })
  .meta({ id: 'Contribution' });

const example = {
  transaction_id: 'K7Q20CR5M3V9XHG',
  company_id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
  company_name: 'Brightside Apps',
  status: 'completed',
  project_id: 1,
  amount: '25.00',
  currency: 'USD',
  created_at: '2026-11-20T09:30:00.000Z',
  completed_at: '2026-11-20T09:31:12.000Z',
  completed_by_you: true,
  bank_reference: 'FT-2026-0042',
  value_date: '2026-11-20',
} as const;

export function contributionsContract(limits: AmountLimits) {
  const create = createContributionContract(limits);
  return {
    create: endpoint({
      operationId: 'createContribution',
      method: 'put',
      path: '/company/integration/contributions/create',
      summary: 'Create a contribution',
      description:
        'Create a contribution after a user chooses a project and confirms an amount. It starts as `pending`. Send an `Idempotency-Key` so that you can retry safely until you receive a response.',
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
      summary: 'Complete a contribution',
      description:
        'The partner bank calls this after it transfers the money. The call is idempotent: retry until you receive a response. A repeat by the same caller succeeds and changes nothing.',
      origin: 'specification 4.6',
      scope: 'contributions:complete',
      params: z.object({ transaction_id: transactionIdInPath }),
      body: {
        accepts: ['json'],
        schema: z.object({
          status: z.literal('completed', { error: 'Send "completed".' }),
          // Record any amount that the bank states, even one outside the limits.
          amount: optionalAmount({ minimumCents: 1n, maximumCents: largestAmountCents }),
          currency,
          bank_reference: optionalText(140, "The bank's reference for the transfer"),
          value_date: optionalDate('The date of the transfer'),
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
          description: 'The contribution is completed.',
          headers: { 'Idempotent-Replayed': '`true` if the contribution was already completed.' },
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
        'completed_by_another',
        'amount_mismatch',
      ],
    }),

    get: endpoint({
      operationId: 'getContribution',
      method: 'get',
      path: '/company/integration/contributions/{transaction_id}',
      summary: 'Get a contribution',
      description:
        'Available to the company that created the contribution and to the bank that completes it.',
      origin: 'addition',
      scope: 'contributions:read',
      params: z.object({ transaction_id: transactionIdInPath }),
      responses: { 200: { description: 'The contribution.', body: contribution, example } },
      errors: ['transaction_not_found'],
    }),

    list: endpoint({
      operationId: 'listContributions',
      method: 'get',
      path: '/company/integration/contributions',
      summary: 'List contributions',
      description:
        "List your company's contributions, or those that your bank completes, oldest first. With `completed_from` or `completed_to`, the list contains completed contributions in order of completion. Otherwise it is in order of creation. Times are UTC; `_from` is inclusive and `_to` is exclusive. After a lost response, filter by `idempotency_key` or `user_hash` to find the contribution. The operation rejects unknown parameters, because a mistyped filter would return too many contributions. A page may have fewer rows than `limit` even if `has_more` is true. Send `cursor` with exactly the filters of the first page; different filters are rejected. The list contains every contribution with a time before `complete_until`. Use `complete_until` as the next `created_from` or `completed_from`, so that you miss nothing.",
      origin: 'addition',
      scope: 'contributions:read',
      // A page may read thousands of rows per environment.
      trafficClass: 'lists',
      query: z
        .strictObject({
          status: z.enum(contributionStatuses, { error: 'Send pending or completed.' }).optional(),
          created_from: timestamp('Return contributions created at or after this time.'),
          created_to: timestamp('Return contributions created before this time.'),
          completed_from: timestamp('Return contributions completed at or after this time.'),
          completed_to: timestamp('Return contributions completed before this time.'),
          project_id: idInPath('Return only contributions to this project.').optional(),
          company_id: companyId,
          user_hash: optionalUserHash,
          idempotency_key: idempotencyKey,
          limit: limit(100),
          cursor: cursor(readPageCursor),
        })
        .superRefine(cursorOfTheseFilters),
      responses: {
        200: {
          description: 'A page of contributions.',
          body: z.strictObject({
            data: z.array(contribution),
            has_more: z.boolean(),
            next_cursor: z.string().nullable(),
            complete_until: z.iso.datetime().meta({
              description:
                'Every contribution with a time before this one is in the list. The first page sets this value, and later pages repeat it.',
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
