import type { Routes } from '../../../../http/routes';
import { encodeCursor } from '../../../../shared/cursor';
import { previousDay } from '../../rules/days/banking-days';
import { accountNotFound } from '../../not-found';
import { daysContract } from './days.contract';
import { presentDays, presentQuestion } from './days.presenter';
import type { DaysService } from './days.service';
import type { QuestionsService } from './questions.service';

/** Adds the operations about days and their questions to the API. */
export function daysRoutes(routes: Routes, days: DaysService, questions: QuestionsService): void {
  routes.bind(daysContract.list).to(async ({ principal, params, query }) => {
    const { cursor: [from] = [query.from], to } = query;
    const account = await days.account(principal.environmentId, params.account_id);
    if (!account) throw accountNotFound();
    const page = await days.days(principal.environmentId, account, { from, to: previousDay(to) });
    return {
      status: 200,
      body: {
        data: presentDays(account, page),
        has_more: page.next !== null,
        next_cursor: page.next && encodeCursor([page.next]),
      },
    };
  });

  routes.bind(daysContract.questions).to(async ({ principal, query }) => {
    const [accountId = '', from = ''] = query.cursor ?? [];
    const after = query.cursor && { accountId, from };
    const { questions: found, statements, next } = await questions.list(principal.environmentId, after);
    return {
      status: 200,
      body: {
        data: found.map((one) => presentQuestion(one, one.account, statements)),
        has_more: next !== null,
        next_cursor: next && encodeCursor([next.accountId, next.from]),
      },
    };
  });
}
