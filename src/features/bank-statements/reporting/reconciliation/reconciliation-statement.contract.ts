import { z } from 'zod';

import { endpoint } from '../../../../http/contract';
import { dayRange, daysInOrder } from '../../../../http/request/day-range';
import { accountIdInPath } from '../../statement.fields';
import { reconciliationStatement, statementAsCsv } from './reconciliation-statement.fields';

const accountId = '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b';

const example = {
  account_id: accountId,
  account_ending: '3000',
  account_name: null,
  from: '2026-11-01',
  to: '2026-12-01',
  opening_balance: '1000.00',
  terms: (
    [
      ['matched', '125.00', 5],
      ['returned', '-25.00', 1],
      ['charges', '-3.50', 2],
      ['ignored', '0.00', 0],
      ['unexplained', '10.00', 1],
    ] as const
  ).map(([term, amount, entries]) => ({
    ...{ term, amount, entries },
    entries_path: `/company/integration/statement-accounts/${accountId}/entries?term=${term}&from=2026-11-01&to=2026-12-01`,
  })),
  closing_balance: '1106.50',
  is_exact: true,
  notes: [],
};

export const getReconciliationStatement = endpoint({
  operationId: 'getReconciliationStatement',
  method: 'get',
  path: '/company/integration/statement-accounts/{account_id}/reconciliation',
  summary: 'Reconcile the days of an account',
  description:
    'Opening balance + matched + returned + charges + ignored + unexplained = closing balance. Each term is the sum of entries that you can list, never a difference. Where the days have no balances, the terms stand alone.',
  origin: 'addition',
  scope: 'statements:read',
  trafficClass: 'lists',
  params: z.object({ account_id: accountIdInPath }),
  query: z.strictObject(dayRange).superRefine(daysInOrder),
  responses: {
    200: {
      description: 'The balances and the terms.',
      body: reconciliationStatement,
      csv: statementAsCsv,
      example,
    },
  },
  errors: ['invalid_request', 'statement_account_not_found'],
});
