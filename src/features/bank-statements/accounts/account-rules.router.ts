import type { Routes } from '../../../http/routes';
import { accountNotFound } from '../not-found';
import type { DaysService } from '../reporting/days/days.service';
import { notApplicable } from '../sent-texts';
import type { AccountNumbersStore, NumberOutcome } from './account-numbers.store';
import { accountRulesContract, type RuleBody } from './account-rules.contract';
import type { AccountRulesStore } from './account-rules.store';

/** Why a number was not added, and what to do. */
const numberTexts: Readonly<Record<Exclude<NumberOutcome, 'added' | 'same' | 'no_account'>, string>> = {
  has_statements: 'The other account has statements. Void its files first, then upload them again.',
  upload_in_progress: 'A file is being read. Wait until all files are read.',
  has_numbers: 'One of the accounts stands for the other one or for a third one already.',
};

const removalTexts = {
  ...numberTexts,
  has_statements:
    'Statements came since the number was added. Void their files first, remove the number, then upload them again.',
};

interface RulesDependencies {
  rules: AccountRulesStore;
  numbers: AccountNumbersStore;
  accounts: Pick<DaysService, 'account'>;
}

/** Adds the rules and the further numbers of accounts to the API. */
export function accountRulesRoutes(routes: Routes, { rules, numbers, accounts }: RulesDependencies): void {
  async function show(environmentId: number, accountId: string) {
    const data = (await rules.list(environmentId, accountId)).map(
      ({ code, direction, outcome, reason, decided_at: at }): RuleBody => ({
        ...{ code, direction, outcome, reason, decided_at: at.toISOString() },
      }),
    );
    return { data, has_more: false };
  }

  routes.bind(accountRulesContract.list).to(async ({ principal, params }) => {
    const { environmentId } = principal;
    if (!(await accounts.account(environmentId, params.account_id))) throw accountNotFound();
    return { status: 200, body: await show(environmentId, params.account_id) };
  });

  routes.bind(accountRulesContract.set).to(async ({ principal, params, body }) => {
    const { environmentId, apiKey } = principal;
    const outcome = await rules.set(environmentId, params.account_id, apiKey, body);
    if (outcome === 'no_account') throw accountNotFound();
    if (outcome === 'no_rule') throw notApplicable('There is no rule for this code and direction.');
    return { status: 200, body: await show(environmentId, params.account_id) };
  });

  routes.bind(accountRulesContract.addNumber).to(async ({ principal, params, body }) => {
    const { environmentId, apiKey: decidedBy } = principal;
    const { other_account_id: otherId, reason } = body;
    const given = { reason, decidedBy };
    const outcome = await numbers.add(environmentId, { accountId: params.account_id, otherId }, given);
    if (outcome === 'no_account') throw accountNotFound();
    if (outcome !== 'added' && outcome !== 'same') throw notApplicable(numberTexts[outcome]);
    return { status: 200, body: { is_new: outcome === 'added' } };
  });

  routes.bind(accountRulesContract.removeNumber).to(async ({ principal, params }) => {
    const { account_id: accountId, other_account_id: otherId } = params;
    const outcome = await numbers.remove(principal.environmentId, accountId, otherId);
    if (outcome === 'no_account') throw accountNotFound();
    if (outcome !== 'removed' && outcome !== 'same') throw notApplicable(removalTexts[outcome]);
    return { status: 204 };
  });
}
