import { z } from 'zod';

import { amount } from '../../../core/contributions/amount.field';
import { transactionId } from '../../../core/contributions/contribution-response.fields';
import { transactionIdInPath } from '../../../core/contributions/contribution.fields';
import { endpoint } from '../../../http/contract';
import { integerInBody, requiredText, uuidField } from '../../../http/request/fields';
import { largestAmountCents } from '../../../shared/money';
import { decisionActions, entryIdInPath, openEnum } from '../statement.fields';
import { cents } from '../reporting/days/days.fields';
import { entryExample } from '../reporting/lines/lines.contract';
import { entry } from '../reporting/lines/lines.fields';

const path = '/company/integration/statements/entries/{entry_id}/decisions';
const actions = [...decisionActions, 'undo'] as const;
const mostInOneCall = 1_000;
/** To complete more contributions of one entry, send a completion file. */
export const mostCompletions = 50;
const largestNumber = 2_147_483_647;

const given = {
  action: z.enum(actions).meta({ description: 'What you decide. `undo` takes back all decisions' }),
  allocations: z
    .array(
      z.object({
        transaction_id: transactionIdInPath,
        amount: amount({ minimumCents: 1n, maximumCents: largestAmountCents }),
      }),
    )
    .max(mostInOneCall)
    .default([])
    .meta({
      description: 'For `link` one element, for `split` several. The difference to the entry is a charge',
    }),
  reason: requiredText(500, 'The reason, for people who read the decision later'),
  seen: integerInBody(
    0,
    largestNumber,
    'The `number` of the newest decision that you have seen, 0 for none. If a newer one exists, nothing is decided',
  ),
};

const decision = z
  .strictObject({
    decision_id: z.uuid(),
    number: z.int(),
    action: openEnum(actions, 'What was decided'),
    allocations: z.array(
      z.strictObject({ transaction_id: transactionId, amount: cents('The part for this contribution') }),
    ),
    reason: z.string(),
    decided_at: z.iso.datetime(),
  })
  .meta({ id: 'EntryDecision' });

export type DecisionBody = z.output<typeof decision>;

const example = {
  decision_id: '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b',
  number: 1,
  action: 'link',
  allocations: [{ transaction_id: 'K7Q20CR5M3V9XHG', amount: '25.00' }],
  reason: 'The donor wrote the order number',
  decided_at: '2026-11-23T09:00:00.000Z',
} as const;

const sent = { action: example.action, allocations: [...example.allocations], reason: example.reason };

const decide = endpoint({
  operationId: 'decideEntry',
  method: 'post',
  path,
  summary: 'Record a decision on an entry',
  description:
    'Record a decision on an entry that the service could not match. `link`: the entry pays or returns one contribution. `split`: it pays or returns several. `unlink`: it pays none of your contributions. `ignore`: it needs no further work. `accept_difference`: its contributions keep their position, and are no longer open. `complete`: complete the contributions that it pays; this needs the scope `contributions:complete`. `undo`: take back all decisions, also about an entry that no statement has now. A repeat of the newest decision succeeds.',
  origin: 'addition',
  scope: 'reconciliation:resolve',
  params: z.object({ entry_id: entryIdInPath }),
  body: { accepts: ['json'], schema: z.object(given), example: sent },
  responses: {
    200: {
      description: 'The updated entry.',
      body: z.strictObject({
        entry: entry.nullable().meta({ description: 'Null after `undo` if no statement has the entry now' }),
        is_new: z.boolean(),
      }),
      example: { entry: { ...entryExample, is_decided: true }, is_new: true },
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
    'month_closed',
    'decision_superseded',
    'completion_reserved_for_bank',
    'completed_by_another',
    'amount_mismatch',
  ],
});

const decideMany = endpoint({
  operationId: 'decideEntries',
  method: 'post',
  path: '/company/integration/statements/entries/decisions',
  summary: 'Record decisions on many entries',
  description:
    'Record decisions on up to 1,000 different entries. Each has its own outcome. If the response is lost, send them again. `complete` is not possible here.',
  origin: 'addition',
  scope: 'reconciliation:resolve',
  body: {
    accepts: ['json'],
    schema: z.object({
      decisions: z
        .array(z.object({ entry_id: uuidField('The entry'), ...given }))
        .min(1)
        .max(mostInOneCall),
    }),
    example: { decisions: [{ entry_id: entryExample.entry_id, ...sent }] },
  },
  responses: {
    200: {
      description: 'The outcomes, in the order of the decisions.',
      body: z.strictObject({
        data: z.array(
          z.strictObject({
            entry_id: z.uuid(),
            outcome: z.string().meta({ description: '`decided`, `same`, or why it was not recorded' }),
            detail: z.string().nullable(),
          }),
        ),
      }),
      example: { data: [{ entry_id: entryExample.entry_id, outcome: 'decided', detail: null }] },
    },
  },
  errors: [
    'invalid_request',
    'malformed_body',
    'body_too_large',
    'unsupported_media_type',
    'transaction_not_found',
  ],
});

const list = endpoint({
  operationId: 'listDecisions',
  method: 'get',
  path,
  summary: 'List the decisions on an entry',
  description:
    'The newest 100 decisions, newest first. The first one counts. A decision whose entry disappeared can move to another entry with its money, and is listed there too.',
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

export const lineDecisionsContract = { decide, decideMany, list };
