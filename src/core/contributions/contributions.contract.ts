import { z } from 'zod';

import { endpoint } from '../../http/contract';
import { optionalDate, optionalText } from '../../http/request/fields';
import { largestAmountCents } from '../../shared/money';
import { contribution, contributionExample, transactionId } from './contribution-response.fields';
import { type AmountLimits, optionalAmount } from './amount.field';
import { currency, onlyCompleted, transactionIdInPath } from './contribution.fields';
import { completeMany } from './complete-contributions.contract';
import { createContributionContract } from './create-contribution.contract';
import { listContributions } from './list-contributions.contract';

const complete = endpoint({
  operationId: 'completeContribution',
  method: 'put',
  path: '/company/integration/contributions/{transaction_id}',
  summary: 'Complete a contribution',
  description:
    'The partner bank calls this after it transfers the money. The call is idempotent: a repeat by the same caller succeeds and changes nothing. If the net amount is 0.00, a request with a new `bank_reference` is a new payment: it undoes all returns, or completes a corrected contribution again. Retry until you receive 200 or an error that is not `retryable`.',
  origin: 'specification 4.6',
  scope: 'contributions:complete',
  params: z.object({ transaction_id: transactionIdInPath }),
  body: {
    accepts: ['json'],
    schema: z.object({
      status: onlyCompleted,
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
        net_amount: z.literal('0.00').optional().meta({
          description:
            'Only if the contribution was completed before, and its money was returned or its completion was corrected. The request changed nothing.',
        }),
      }),
      example: {
        transaction_id: 'K7Q20CR5M3V9XHG',
        status: 'completed',
        message: 'The transaction was updated to completed.',
      },
    },
  },
  errors: [
    'transaction_not_found',
    'completion_reserved_for_bank',
    'completed_by_another',
    'amount_mismatch',
  ],
});

const get = endpoint({
  operationId: 'getContribution',
  method: 'get',
  path: '/company/integration/contributions/{transaction_id}',
  summary: 'Get a contribution',
  description:
    'Available to the company that created the contribution and to its banks, as the bank guide describes.',
  origin: 'addition',
  scope: 'contributions:read',
  params: z.object({ transaction_id: transactionIdInPath }),
  responses: { 200: { description: 'The contribution.', body: contribution, example: contributionExample } },
  errors: ['transaction_not_found'],
});

export function contributionsContract(limits: AmountLimits) {
  const parts = createContributionContract(limits);
  return {
    create: endpoint({
      operationId: 'createContribution',
      method: 'put',
      path: '/company/integration/contributions/create',
      summary: 'Create a contribution',
      description:
        'Create a contribution after a user chooses a project and confirms an amount. It starts as `pending`. Send an `Idempotency-Key` so that you can retry safely.',
      origin: 'specification 4.5',
      scope: 'contributions:create',
      headers: parts.headers,
      body: { schema: parts.body, accepts: ['json'], example: parts.bodyExample },
      responses: parts.responses,
      errors: parts.errors,
    }),
    complete,
    completeMany,
    get,
    list: listContributions,
  };
}
