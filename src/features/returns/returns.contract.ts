import { z } from 'zod';

import { endpoint } from '../../http/contract';
import { optionalDate, requiredReference, timestamp } from '../../http/request/fields';
import type { ErrorCode } from '../../shared/errors';
import { largestAmountCents } from '../../shared/money';
import { dollars, transactionId } from '../../core/contributions/contribution-response.fields';
import { amount } from '../../core/contributions/amount.field';
import { currency, transactionIdInPath } from '../../core/contributions/contribution.fields';
import { returnCode, returnIdInPath, returnKinds, undoReasons } from './money-return.fields';

const path = '/company/integration/contributions/{transaction_id}/returns';

/** Accepts any amount that the bank states, even one below the minimum of a contribution. */
const returnedAmount = amount({ minimumCents: 1n, maximumCents: largestAmountCents });

const headers = { 'Idempotent-Replayed': '`true` if an earlier request recorded it.' };

const errors: readonly ErrorCode[] = [
  'transaction_not_found',
  'return_reserved',
  'contribution_not_completed',
  'return_exceeds_amount',
  'return_reference_reused',
];

/** The members that both responses share. */
const common = {
  transaction_id: transactionId,
  amount: dollars('The amount of this request', '25.00'),
  currency: z.literal('USD'),
  bank_reference: z.string(),
  value_date: z.iso.date().nullable(),
  recorded_at: z.iso.datetime(),
  returned_amount: dollars('The `returned_amount` of the contribution after this request', '25.00'),
  net_amount: dollars('The amount of the contribution minus `returned_amount`', '0.00'),
};

const commonExample = {
  transaction_id: 'K7Q20CR5M3V9XHG',
  amount: '25.00',
  currency: 'USD',
  bank_reference: 'RT-2026-0007',
  value_date: '2026-11-23',
  recorded_at: '2026-11-23T08:15:00.000Z',
  returned_amount: '25.00',
  net_amount: '0.00',
} as const;

const returnIdExample = '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b';

const record = endpoint({
  operationId: 'recordReturn',
  method: 'post',
  path,
  summary: 'Record a return',
  description:
    'Record that money of a completed contribution went back, in part or in full. Only the party that completed the contribution can do this. `status` stays `completed`; `returned_amount` and `net_amount` of the contribution change. The call is idempotent and has no time limit: a repeat with the same `bank_reference`, `kind` and `amount` gets the first response again.',
  origin: 'addition',
  scope: 'contributions:return',
  trafficClass: 'completions',
  params: z.object({ transaction_id: transactionIdInPath }),
  body: {
    accepts: ['json'],
    schema: z.object({
      kind: z.enum(returnKinds, { error: `Send one of ${returnKinds.join(', ')}.` }).meta({
        description: 'How the money was returned',
      }),
      code: returnCode,
      amount: returnedAmount,
      currency,
      bank_reference: requiredReference(
        140,
        "The bank's reference for the return. Use a different one for each return. White space at its ends is removed",
      ),
      value_date: optionalDate('The date of the return'),
    }),
    example: {
      kind: 'return',
      code: 'R01',
      amount: '25.00',
      bank_reference: 'RT-2026-0007',
      value_date: '2026-11-23',
    },
  },
  responses: {
    201: {
      description: 'The return is recorded.',
      headers,
      body: z.strictObject({
        return_id: z.uuid(),
        kind: z.enum(returnKinds).meta({ 'x-open-enum': true }),
        code: z.string().nullable(),
        ...common,
      }),
      example: { return_id: returnIdExample, kind: 'return', code: 'R01', ...commonExample },
    },
  },
  errors,
});

const undo = endpoint({
  operationId: 'undoReturn',
  method: 'post',
  path: `${path}/{return_id}/undo`,
  summary: 'Undo a return',
  description:
    'Undo a recorded return, in part or in full. Examples are a dishonored return, a chargeback that was won, and a payment that was presented again and paid. The call is idempotent and has no time limit: a repeat with the same `bank_reference`, `reason` and `amount` gets the first response again.',
  origin: 'addition',
  scope: 'contributions:return',
  trafficClass: 'completions',
  params: z.object({ transaction_id: transactionIdInPath, return_id: returnIdInPath }),
  body: {
    accepts: ['json'],
    schema: z.object({
      reason: z.enum(undoReasons, { error: `Send one of ${undoReasons.join(', ')}.` }).meta({
        description: 'The reason for the undo',
      }),
      amount: returnedAmount,
      currency,
      bank_reference: requiredReference(
        140,
        "The bank's reference for the undo. Use a different one for each undo. White space at its ends is removed",
      ),
      value_date: optionalDate('The date from which the amount counts again'),
    }),
    example: {
      reason: 'paid_again',
      amount: '25.00',
      bank_reference: 'PA-2026-0003',
      value_date: '2026-11-25',
    },
  },
  responses: {
    201: {
      description: 'The undo is recorded.',
      headers,
      body: z.strictObject({
        undo_id: z.uuid(),
        return_id: z.uuid(),
        reason: z.enum(undoReasons).meta({ 'x-open-enum': true }),
        ...common,
      }),
      example: {
        undo_id: '019aa1b2-9e5f-7071-8b8c-9d0e1f2a3b4c',
        return_id: returnIdExample,
        reason: 'paid_again',
        ...commonExample,
        bank_reference: 'PA-2026-0003',
        value_date: '2026-11-25',
        recorded_at: '2026-11-25T08:15:00.000Z',
        returned_amount: '0.00',
        net_amount: '25.00',
      },
    },
  },
  errors: [...errors, 'return_not_found'],
});

const correct = endpoint({
  operationId: 'correctContribution',
  method: 'post',
  path: '/company/integration/contributions/{transaction_id}/correction',
  summary: 'Correct a completion',
  description:
    'Take a completion back that was a mistake: no money moved. It is no return. `status` stays `completed`, `net_amount` becomes 0.00 and `corrected_at` appears. Only the party that completed the contribution can do this, and only while it has no returns. Afterwards, the party that may complete it by the links of today can complete it; the same party then needs a new `bank_reference`. A repeat gets the first response again and never takes a later completion back.',
  origin: 'addition',
  scope: 'contributions:return',
  trafficClass: 'completions',
  params: z.object({ transaction_id: transactionIdInPath }),
  body: {
    accepts: ['json'],
    schema: z.object({
      reason: requiredReference(
        500,
        'Why the completion was a mistake. The service stores it permanently, so do not send personal data. A repeat has the same reason',
      ),
      completed_at: timestamp(
        'The `completed_at` of the completion that you take back. Required if the contribution was corrected before: a late repeat of an earlier correction must not take a later completion back.',
      ),
    }),
    example: { reason: 'Completed the wrong contribution: a typing error in the batch of 20 November' },
  },
  responses: {
    201: {
      description: 'The correction is recorded.',
      headers,
      body: z.strictObject({
        transaction_id: transactionId,
        corrected_at: z.iso.datetime(),
      }),
      example: { transaction_id: 'K7Q20CR5M3V9XHG', corrected_at: '2026-11-23T08:15:00.000Z' },
    },
  },
  errors: [
    'transaction_not_found',
    'correction_reserved',
    'contribution_not_completed',
    'contribution_has_returns',
    'correction_ambiguous',
  ],
});

export const returnsContract = { record, undo, correct };
