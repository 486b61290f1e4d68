import { z } from 'zod';

import { endpoint } from '../../../http/contract';
import { requiredReference, requiredText, uuidField } from '../../../http/request/fields';
import { accountIdInPath, directions, openEnum } from '../statement.fields';

const path = '/company/integration/statement-accounts/{account_id}';
const params = z.object({ account_id: accountIdInPath });
const outcomes = ['charge', 'ignore'] as const;
const longestCode = 35;
const otherAccount = '019aa1b2-9e5f-7071-8b8c-9d0e1f2a3b4c';

const rule = z
  .strictObject({
    code: z.string(),
    direction: openEnum(directions, 'The entries that it is about'),
    outcome: openEnum(
      outcomes,
      '`charge`: they are charges of the bank. `ignore`: they need no further work',
    ),
    reason: z.string(),
    decided_at: z.iso.datetime(),
  })
  .meta({ id: 'AccountRule' });

export type RuleBody = z.output<typeof rule>;

const sent = {
  code: 'PMNT-MDOP-CHRG',
  direction: 'debit',
  outcome: 'charge',
  reason: 'Monthly fees of the bank',
} as const;

const body = z.strictObject({ data: z.array(rule), has_more: z.boolean() });
const example = { data: [{ ...sent, decided_at: '2026-11-23T09:00:00.000Z' }], has_more: false };

const list = endpoint({
  operationId: 'listAccountRules',
  method: 'get',
  path: `${path}/rules`,
  summary: 'List the rules of an account',
  description: 'What entries with a code of the bank are, unless they pay a contribution.',
  origin: 'addition',
  scope: 'statements:read',
  params,
  responses: { 200: { description: 'The rules.', body, example } },
  errors: ['invalid_request', 'statement_account_not_found'],
});

const set = endpoint({
  operationId: 'setAccountRule',
  method: 'put',
  path: `${path}/rules`,
  summary: 'Set a rule of an account',
  description:
    'Say what entries with a code of the bank are, unless they pay a contribution. `none` ends a rule. Entries of open months are compared again. The call is idempotent.',
  origin: 'addition',
  scope: 'reconciliation:resolve',
  params,
  body: {
    accepts: ['json'],
    schema: z.object({
      code: requiredReference(longestCode, 'The `bank_code` of the entries'),
      direction: z.enum(directions, { error: 'Send credit or debit.' }),
      outcome: z.enum([...outcomes, 'none']).meta({ description: 'What the entries are' }),
      reason: requiredText(500, 'The reason, for people who read the rule later'),
    }),
    example: sent,
  },
  responses: { 200: { description: 'The rules of the account.', body, example } },
  errors: [
    'invalid_request',
    'malformed_body',
    'body_too_large',
    'unsupported_media_type',
    'statement_account_not_found',
    'decision_not_applicable',
  ],
});

const addNumber = endpoint({
  operationId: 'addAccountNumber',
  method: 'post',
  path: `${path}/numbers`,
  summary: 'Say that two numbers are one account',
  description:
    'A bank can state one account under two numbers, so that your files have two accounts. Void the files of the other account, send this, then upload them again. The call is idempotent.',
  origin: 'addition',
  scope: 'reconciliation:resolve',
  params,
  body: {
    accepts: ['json'],
    schema: z.object({
      other_account_id: uuidField('The account with the other number'),
      reason: requiredText(500, 'The reason, for people who read it later'),
    }),
    example: {
      other_account_id: otherAccount,
      reason: 'The bank states the IBAN in reports',
    },
  },
  responses: {
    200: {
      description: 'Later files with the other number belong to this account.',
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
  ],
});

const removeNumber = endpoint({
  operationId: 'removeAccountNumber',
  method: 'delete',
  path: `${path}/numbers/{other_account_id}`,
  summary: 'Take back that two numbers are one account',
  description:
    'Later files with the number of the other account belong to that account again. Void the files that you uploaded since you added the number, send this, then upload them again. The call is idempotent.',
  origin: 'addition',
  scope: 'reconciliation:resolve',
  params: z.object({
    account_id: accountIdInPath,
    other_account_id: uuidField('The account with the other number', otherAccount),
  }),
  responses: { 204: { description: 'The numbers are two accounts.' } },
  errors: ['invalid_request', 'statement_account_not_found', 'decision_not_applicable'],
});

export const accountRulesContract = { list, set, addNumber, removeNumber };
