import { z } from 'zod';

import { endpoint } from '../../http/contract';
import { requiredText } from '../../http/request/fields';
import { largestAmountCents } from '../../shared/money';
import { transactionId } from '../../core/contributions/contribution-response.fields';
import { amount } from '../../core/contributions/amount.field';
import { transactionIdInPath } from '../../core/contributions/contribution.fields';
import { decisionActions, entryIdInPath, openEnum } from './statement.fields';
import { entryExample } from './statement-examples.fields';
import { cents, entry } from './statements.contract';

/** To complete more contributions of one entry, send a completion file. */
export const mostCompletions = 50;
const mostAllocations = 1_000;

const path = '/company/integration/statements/entries/{entry_id}/decisions';

const decision = z
  .strictObject({
    decision_id: z.uuid(),
    entry_id: z.uuid(),
    action: openEnum(decisionActions, 'What was decided'),
    allocations: z.array(
      z.strictObject({
        transaction_id: transactionId,
        amount: cents('The part of the entry for this contribution'),
      }),
    ),
    reason: z.string(),
    decided_at: z.iso.datetime(),
    is_superseded: z.boolean().meta({
      description:
        'Whether the decision never took effect, because another one was recorded while this one was completing contributions. Always false for new decisions',
    }),
  })
  .meta({ id: 'Decision' });

const example = {
  decision_id: '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b',
  entry_id: entryExample.entry_id,
  action: 'link',
  allocations: [{ transaction_id: 'K7Q20CR5M3V9XHG', amount: '25.00' }],
  reason: 'The donor wrote the order number',
  decided_at: '2026-11-23T09:00:00.000Z',
  is_superseded: false,
} as const;

const decide = endpoint({
  operationId: 'decideEntry',
  method: 'post',
  path,
  summary: 'Record a decision on an entry',
  description:
    'Record a decision on an entry that the service could not match. `link`: the entry pays or returns one contribution. `split`: it pays or returns several, and their amounts add up to the amount of the entry (for a payment, plus its charges). `unlink`: it pays none of your contributions. `ignore`: it needs no further work. `accept_difference`: its contributions keep their position, and are no longer open. `complete`: complete the contributions that it pays, with its reference and date; this needs the scope `contributions:complete`, and you must be allowed to complete them. If one of them cannot be completed, the service completes none and records no decision. If the response is lost, send the decision again, and the service completes the rest. A decision never changes: a later decision replaces it. A repeat of the newest decision gets the same response. A repeat of an earlier decision gets `decision_superseded`, so a late retry changes nothing.',
  origin: 'addition',
  scope: 'reconciliation:resolve',
  params: z.object({ entry_id: entryIdInPath }),
  body: {
    accepts: ['json'],
    schema: z.object({
      action: z.enum(decisionActions).meta({ description: 'What you decide' }),
      allocations: z
        .array(
          z.object({
            transaction_id: transactionIdInPath,
            amount: amount({ minimumCents: 1n, maximumCents: largestAmountCents }),
          }),
        )
        .max(mostAllocations)
        .default([])
        .meta({
          description:
            'For `link`, one element with the whole amount of the entry. For `split`, all its parts. Charges count as paid',
        }),
      reason: requiredText(500, 'The reason, for people who read the decision later'),
    }),
    example: { action: example.action, allocations: example.allocations, reason: example.reason },
  },
  responses: {
    200: {
      description: 'The decision and the updated entry.',
      body: z.strictObject({ decision, entry }),
      example: {
        decision: example,
        entry: {
          ...entryExample,
          allocations: [{ ...entryExample.allocations[0], confidence: 'decision' }],
        },
      },
    },
  },
  errors: [
    'invalid_request',
    'malformed_body',
    'body_too_large',
    'unsupported_media_type',
    'statement_entry_not_found',
    'transaction_not_found',
    'decision_not_applicable',
    'decision_superseded',
    'completion_reserved_for_bank',
    'completed_by_another',
    'amount_mismatch',
  ],
});

const list = endpoint({
  operationId: 'listDecisions',
  method: 'get',
  path,
  summary: 'List the decisions on an entry',
  description: 'The newest 100 decisions, newest first. The first one that is not superseded counts.',
  origin: 'addition',
  scope: 'statements:read',
  params: z.object({ entry_id: entryIdInPath }),
  responses: {
    200: {
      description: 'The decisions.',
      body: z.strictObject({ data: z.array(decision), has_more: z.boolean() }),
      example: { data: [example], has_more: false },
    },
  },
  errors: ['invalid_request', 'statement_entry_not_found'],
});

export const decisionsContract = { decide, list };

export type DecisionBody = z.output<typeof decision>;
