import type { Routes } from '../../../../http/routes';
import { previousDay } from '../../rules/days/banking-days';
import { accountNotFound } from '../../not-found';
import type { DaysService } from '../days/days.service';
import { getReconciliationStatement } from './reconciliation-statement.contract';
import { presentReconciliation } from './reconciliation-statement.presenter';
import type { ReconciliationStatements } from './reconciliation-statement.service';

/** Adds the reconciliation of an account to the API. */
export function reconciliationStatementRoutes(
  routes: Routes,
  statements: ReconciliationStatements,
  accounts: Pick<DaysService, 'account'>,
): void {
  routes.bind(getReconciliationStatement).to(async ({ principal, params, query }) => {
    const { environmentId } = principal;
    const account = await accounts.account(environmentId, params.account_id);
    if (!account) throw accountNotFound();
    const { from, to } = query;
    const statement = await statements.of(environmentId, account, { from, to: previousDay(to) });
    return { status: 200, body: presentReconciliation(statement, { from, to }) };
  });
}
