import type { Routes } from '../../../http/routes';
import { pageByUuid } from '../../../shared/uuid-cursor';
import { defaultGraceDays } from './grace-days.field';
import { accountNotFound } from '../not-found';
import { refused } from '../sent-texts';
import { accountsContract } from './accounts.contract';
import { presentAccount } from './accounts.presenter';
import type { AccountsService } from './accounts.service';

/** Why the direction of an account was not changed, and what to do. */
const directionTexts = {
  month_closed: 'Another direction would change a closed month. Reopen the month first.',
  has_links: 'Entries of the account are linked, as payments or returns. Undo the links first.',
};

/** Adds the accounts to the API. */
export function accountsRoutes(routes: Routes, accounts: AccountsService): void {
  routes.bind(accountsContract.list).to(async ({ principal, query }) => {
    const found = await accounts.list(principal.environmentId, query.cursor, query.limit + 1);
    return {
      status: 200,
      body: pageByUuid(found.map(presentAccount), query.limit, (account) => account.account_id),
    };
  });

  routes.bind(accountsContract.set).to(async ({ principal, params, body }) => {
    const account = await accounts.set(principal.environmentId, params.account_id, {
      completeCoverage: body.complete_coverage,
      graceDays: body.grace_days ?? defaultGraceDays,
      direction: body.direction,
    });
    if (account === 'no_account') throw accountNotFound();
    if (typeof account === 'string') throw refused(account, directionTexts[account]);
    return { status: 200, body: presentAccount(account) };
  });
}
