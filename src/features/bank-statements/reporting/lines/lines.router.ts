import type { Routes } from '../../../../http/routes';
import { encodeCursor } from '../../../../shared/cursor';
import { previousDay } from '../../rules/days/banking-days';
import { accountNotFound, entryNotFound, fileNotFound } from '../../not-found';
import type { DaysService } from '../days/days.service';
import { linesContract } from './lines.contract';
import { presentLine, presentSource } from './lines.presenter';
import type { LinesPage, LinesService } from './lines.service';

/** Whether the environment has uploaded a file. */
export type HasFile = (environmentId: number, fileId: string) => Promise<boolean>;

function bodyOf<Place>({ lines, next }: LinesPage<Place>, keyOf: (place: Place) => (string | number)[]) {
  return {
    data: lines.map(presentLine),
    has_more: next !== undefined,
    next_cursor: next === undefined ? null : encodeCursor(keyOf(next)),
  };
}

/** Adds the operations that show lines to the API. */
export function linesRoutes(
  routes: Routes,
  lines: LinesService,
  { accounts, hasFile }: { accounts: Pick<DaysService, 'account'>; hasFile: HasFile },
): void {
  routes.bind(linesContract.toExplain).to(async ({ principal, query }) => {
    const [accountId = '', day = '', entryId = ''] = query.cursor ?? [];
    const { account_id: ofAccount, from, to, outcome, state, limit } = query;
    const filter = {
      ...{ accountId: ofAccount, from, outcome, state },
      to: to === undefined ? undefined : previousDay(to),
    };
    const after = query.cursor && { accountId, day, entryId };
    const page = await lines.toExplain(principal.environmentId, filter, after, limit);
    return { status: 200, body: bodyOf(page, (next) => [next.accountId, next.day, next.entryId]) };
  });

  routes.bind(linesContract.ofTerm).to(async ({ principal, params, query }) => {
    const { environmentId } = principal;
    const { account_id: accountId } = params;
    if (!(await accounts.account(environmentId, accountId))) throw accountNotFound();
    const [day = '', entryId = ''] = query.cursor ?? [];
    const after = query.cursor && { day, entryId };
    const { term, from, to, limit } = query;
    const request = { accountId, term, from, to: previousDay(to), after };
    const page = await lines.ofTerm(environmentId, request, limit);
    return { status: 200, body: bodyOf(page, (next) => [next.day, next.entryId]) };
  });

  routes.bind(linesContract.ofFile).to(async ({ principal, params, query }) => {
    const { environmentId } = principal;
    if (!(await hasFile(environmentId, params.file_id))) throw fileNotFound();
    const [statementId = '', number = 0, part = 0] = query.cursor ?? [];
    const after = query.cursor && { statementId, number, part };
    const page = await lines.ofFile(environmentId, params.file_id, after, query.limit);
    return { status: 200, body: bodyOf(page, (next) => [next.statementId, next.number, next.part]) };
  });

  routes.bind(linesContract.get).to(async ({ principal, params }) => {
    const found = await lines.get(principal.environmentId, params.entry_id);
    if (!found) throw entryNotFound();
    return { status: 200, body: { ...presentLine(found.line), sources: found.sources.map(presentSource) } };
  });
}
