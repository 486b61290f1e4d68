import { z } from 'zod';

import { endpoint } from '../../http/contract';
import { integerInBody, optionalDate, optionalText } from '../../http/request/fields';
import { largestAmountCents } from '../../shared/money';
import { transactionId } from '../../core/contributions/contribution-response.fields';
import { optionalAmount } from '../../core/contributions/amount.field';
import { transactionIdInPath } from '../../core/contributions/contribution.fields';
import {
  bankModes,
  defaultMagicAmounts,
  defaultSettleAfterSeconds,
  longestDelaySeconds,
  mostAttempts,
  resetSeeds,
  settlementOutcomes,
} from './sandbox-settings.fields';

const base = '/company/integration/sandbox';
const common = { origin: 'addition', scope: 'sandbox', onlyIn: 'test' } as const;

const settings = z
  .strictObject({
    bank: z.enum(bankModes).meta({
      description:
        'Who completes your test contributions. `simulated`: the built-in bank. `linked`: a bank that the operator linked. `none`: your own key pair',
      'x-open-enum': true,
    }),
    settle_after_seconds: z.int().meta({
      description: 'The simulated bank completes a contribution this many seconds after its creation',
    }),
    magic_amounts: z.boolean().meta({
      description:
        'Whether amounts that end in .41, .42, .43 or .49 make the simulated bank simulate a failure',
    }),
  })
  .meta({ id: 'SandboxSettings' });

const settingsExample = { bank: 'simulated', settle_after_seconds: 2, magic_amounts: true } as const;

const getSettings = endpoint({
  ...common,
  operationId: 'getSandboxSettings',
  method: 'get',
  path: `${base}/settings`,
  summary: 'Get the sandbox settings',
  description: 'Available in the test environment only.',
  responses: { 200: { description: 'The settings.', body: settings, example: settingsExample } },
});

const putSettings = endpoint({
  ...common,
  operationId: 'setSandboxSettings',
  method: 'put',
  path: `${base}/settings`,
  summary: 'Replace the sandbox settings',
  description:
    'An absent member gets its default. With `simulated`, the built-in bank completes your test contributions, and your own attempt gets 403 `completion_reserved_for_bank`, as in production. Settings never end a link that the operator made.',
  body: {
    accepts: ['json'],
    schema: z.object({
      bank: z.enum(bankModes, { error: `Send one of ${bankModes.join(', ')}.` }),
      settle_after_seconds: integerInBody(
        0,
        longestDelaySeconds,
        `Seconds from the creation of a contribution to its completion by the simulated bank. Default ${defaultSettleAfterSeconds}`,
      ),
      magic_amounts: z
        .boolean({ error: 'Send true or false.' })
        .optional()
        .meta({
          description: `Whether amounts that end in .41, .42, .43 or .49 make the simulated bank simulate a failure. Default ${defaultMagicAmounts}`,
        }),
    }),
    example: settingsExample,
  },
  responses: { 200: { description: 'The new settings.', body: settings, example: settingsExample } },
  errors: ['sandbox_conflict'],
});

const settle = endpoint({
  ...common,
  operationId: 'settleSandboxContribution',
  method: 'post',
  path: `${base}/contributions/{transaction_id}/settle`,
  summary: 'Let the simulated bank complete a contribution',
  description:
    'The simulated bank completes one of your contributions, now or later, with the evidence that you choose. Use it to simulate a wrong amount, a duplicate transfer or a late transfer. Every call adds attempts.',
  params: z.object({ transaction_id: transactionIdInPath }),
  body: {
    accepts: ['json'],
    schema: z.object({
      amount: optionalAmount({ minimumCents: 1n, maximumCents: largestAmountCents }),
      bank_reference: optionalText(
        140,
        "The bank's reference. Default: `SIM-` followed by the transaction_id",
      ),
      value_date: optionalDate('The date of the transfer. Default: the day of the attempt, in UTC'),
      times: integerInBody(1, mostAttempts, 'How many attempts, one after the other. Default 1'),
      after_seconds: integerInBody(
        0,
        longestDelaySeconds,
        'Delay of the attempts, in seconds. Default 0: the response contains their outcomes',
      ),
    }),
    example: { amount: '25.00', bank_reference: 'FT-2026-0042', times: 1 },
  },
  responses: {
    200: {
      description: 'The outcome of each attempt, or when it is due.',
      body: z.strictObject({
        transaction_id: transactionId,
        attempts: z.array(
          z.strictObject({
            due_at: z.iso.datetime(),
            outcome: z.enum(settlementOutcomes).meta({
              description:
                '`scheduled`: not attempted yet. `completed`, `repeated`: the bank got 200. Otherwise the code of the error that the bank got',
              'x-open-enum': true,
            }),
          }),
        ),
      }),
      example: {
        transaction_id: 'K7Q20CR5M3V9XHG',
        attempts: [{ due_at: '2026-11-20T09:31:12.000Z', outcome: 'completed' }],
      },
    },
  },
  errors: ['transaction_not_found', 'sandbox_conflict'],
});

const reset = endpoint({
  ...common,
  operationId: 'resetSandbox',
  method: 'post',
  path: `${base}/reset`,
  summary: 'Reset the test environment',
  description:
    'Starts an empty test environment. Your key pairs, settings and bank links stay. Contributions, returns, users, idempotency keys, armed faults, the event feed and the request log start empty. Scheduled settlements of the old environment stop. A concurrent request belongs entirely to the old or to the new environment. Every call resets again.',
  body: {
    accepts: ['json'],
    schema: z.object({
      seed: z
        .enum(resetSeeds, { error: `Send one of ${resetSeeds.join(', ')}.` })
        .optional()
        .meta({
          description: '`empty` (default): no contributions. `demo`: a few pending contributions',
        }),
    }),
    example: { seed: 'empty' },
  },
  responses: {
    200: {
      description: 'The test environment was reset.',
      body: z.strictObject({
        reset_at: z.iso.datetime().meta({ description: 'When the new environment began' }),
        resets_left: z.int().meta({ description: 'How many more resets are possible within 24 hours' }),
        transaction_ids: z.array(transactionId).meta({ description: 'The contributions of the seed' }),
      }),
      example: { reset_at: '2026-11-20T09:31:12.000Z', resets_left: 4, transaction_ids: [] },
    },
  },
});

export const sandboxContract = { getSettings, putSettings, settle, reset };
