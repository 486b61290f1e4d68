import { z } from 'zod';

import { endpoint } from '../../../http/contract';
import { requiredDate, requiredText } from '../../../http/request/fields';
import { accountIdInPath, openEnum } from '../statement.fields';

const path = '/company/integration/statement-accounts/{account_id}/days/{day}/choice';
const kinds = ['version', 'all_lines', 'use_anyway', 'accept', 'undo'] as const;
const params = z.object({
  account_id: accountIdInPath,
  day: requiredDate('The first day of the question', '2026-11-20'),
});
const mostVersions = 1_000;
const version = z.string().min(1).max(200);

const answer = z
  .strictObject({
    number: z.int(),
    kind: openEnum(kinds, 'The answer'),
    version: z.string().nullable(),
    gap: z.string().nullable(),
    among: z.array(z.string()),
    reason: z.string(),
    decided_at: z.iso.datetime(),
  })
  .meta({ id: 'DayAnswer' });

const example = {
  number: 1,
  kind: 'version',
  version: '3f2a9c',
  gap: null,
  among: ['3f2a9c', '77b0d1'],
  reason: 'The bank corrected the amount',
  decided_at: '2026-11-23T09:00:00.000Z',
} as const;

const give = endpoint({
  operationId: 'answerDayQuestion',
  method: 'post',
  path,
  summary: 'Answer a question about days',
  description:
    'Answer a question as the days show it. `version`: one version counts. `all_lines`: the lines of all versions count, each once. `use_anyway`: a version that does not add up counts. `accept`: the gap is not missing money. `undo`: take back all answers about the day. With `to`, the answer is also about the later days with the same question. A repeat of the newest answer succeeds.',
  origin: 'addition',
  scope: 'reconciliation:resolve',
  params,
  body: {
    accepts: ['json'],
    schema: z.object({
      kind: z.enum(kinds).meta({ description: 'The answer' }),
      version: version
        .optional()
        .meta({ description: 'For `version` and `use_anyway`: the `version` of a choice' }),
      among: z
        .array(version)
        .max(mostVersions)
        .optional()
        .meta({ description: 'For `version`, `use_anyway` and `all_lines`: the `versions` of the question' }),
      gap: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .meta({ description: 'For `accept`: the `gap` of the question' }),
      remember: z.enum(['newest', 'all_lines', 'nothing']).optional().meta({
        description:
          'Remember this for later questions about two versions of this account: take the newest version, or all lines. `nothing` ends it',
      }),
      reason: requiredText(500, 'The reason, for people who read the answer later'),
    }),
    example: { kind: 'version', version: '3f2a9c', among: ['3f2a9c', '77b0d1'], reason: example.reason },
  },
  responses: {
    200: {
      description: 'The answer is recorded.',
      body: z.strictObject({ is_new: z.boolean() }),
      example: { is_new: true },
    },
  },
  errors: [
    'invalid_request',
    'malformed_body',
    'body_too_large',
    'unsupported_media_type',
    'statement_account_not_found',
    'decision_not_applicable',
    'month_closed',
    'question_changed',
  ],
});

const list = endpoint({
  operationId: 'listDayAnswers',
  method: 'get',
  path,
  summary: 'List the answers about a day',
  description: 'The newest 100 answers, newest first. The first one counts.',
  origin: 'addition',
  scope: 'statements:read',
  params,
  responses: {
    200: {
      description: 'The answers.',
      body: z.strictObject({ data: z.array(answer), has_more: z.boolean() }),
      example: { data: [{ ...example, among: [...example.among] }], has_more: false },
    },
  },
  errors: ['invalid_request', 'statement_account_not_found'],
});

export const answersContract = { give, list };

export type AnswerGiven = z.output<(typeof give)['body']['schema']>;
