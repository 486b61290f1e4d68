import { z } from 'zod';

import type { BodyMedia } from '../../http/request/body';
import type { EndpointContract } from '../../http/contract';
import { optionalText } from '../../http/request/fields';
import { transactionId } from './contribution-response.fields';
import { type AmountLimits, amount } from './amount.field';
import { currency, idempotencyKey, projectIdInBody } from './contribution.fields';
import { userHash } from '../users/user-hash.field';

/** The request and responses of every create route (specification 4.3 and 4.5). */
export function createContributionContract(limits: AmountLimits) {
  return {
    headers: z.object({ 'idempotency-key': idempotencyKey }),
    body: z.object({
      project_id: projectIdInBody,
      amount: amount(limits),
      currency,
      status: z
        .literal('pending', { error: 'A contribution is created as pending. Leave this field out.' })
        .optional(),
      user_hash: userHash,
      name: optionalText(100, 'First name of the user'),
    }),
    bodyExample: { project_id: 1, amount: '25.00', user_hash: 'q2Zk1sV0uYc9rA7dT5xNfg==', name: 'Amelia' },
    responses: {
      201: {
        description:
          'The contribution is recorded as `pending`. A retry with the same `Idempotency-Key` gets the same response.',
        headers: {
          Location: 'URL of the contribution.',
          'Idempotent-Replayed':
            '`true` if this repeats the response to an earlier request with the same `Idempotency-Key`, and nothing new was recorded.',
        },
        body: z.strictObject({ transaction_id: transactionId, status: z.literal('pending') }),
        example: { transaction_id: 'K7Q20CR5M3V9XHG', status: 'pending' },
      },
    },
    errors: [
      'company_suspended',
      'project_not_found',
      'project_not_accepting',
      'idempotency_key_reused',
      'outcome_unknown',
    ],
  } as const;
}

type Parts = ReturnType<typeof createContributionContract>;

/** An endpoint that creates a contribution. */
export interface NewContributionEndpoint extends Omit<EndpointContract, keyof Parts> {
  readonly headers: Parts['headers'];
  readonly body: { readonly schema: Parts['body']; readonly accepts: readonly BodyMedia[] };
  readonly responses: Parts['responses'];
  readonly errors: Parts['errors'];
}
