import { digestOfFilters, writePageCursor } from '../../../../core/contributions/contributions.cursor';
import type { Routes } from '../../../../http/routes';
import type { Clock } from '../../../../shared/clock';
import { newYorkDay } from '../../rules/days/banking-days';
import type { PositionsService } from './positions.service';
import { presentLine } from '../lines/lines.presenter';
import { positionsContract } from './positions.contract';
import { presentPosition, presentSummary } from './positions.presenter';

/** Adds the positions of contributions to the API. */
export function positionsRoutes(routes: Routes, positions: PositionsService, clock: Clock): void {
  const shown = () => ({ today: newYorkDay(clock.now()) });

  routes.bind(positionsContract.list).to(async ({ principal, query, requestId, stopIfLeft }) => {
    const { position, open, from, to, limit } = query;
    const filter = { position, isOpen: open !== undefined, from, to };
    const after = query.cursor?.place;
    const page = await positions.list(principal, filter, { limit, after, requestId, stopIfLeft });
    const cursor = page.next && writePageCursor({ filters: digestOfFilters(query), place: page.next });
    const given = shown();
    return {
      status: 200,
      body: {
        data: page.positions.map((one) => presentPosition(one, given)),
        has_more: cursor !== undefined,
        next_cursor: cursor ?? null,
      },
    };
  });

  routes.bind(positionsContract.summary).to(async ({ principal, query, requestId, stopIfLeft }) => ({
    status: 200,
    body: presentSummary(await positions.all(principal, query, { requestId, stopIfLeft })),
  }));

  routes.bind(positionsContract.ofContribution).to(async ({ principal, params }) => {
    const { position, entries } = await positions.get(principal, params.transaction_id);
    return {
      status: 200,
      body: { ...presentPosition(position, { ...shown(), entries }), entries: entries.map(presentLine) },
    };
  });
}
