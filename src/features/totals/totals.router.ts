import type { Routes } from '../../http/routes';
import { totalsContract } from './totals.contract';
import { presentSums, presentTotalsRow } from './totals.presenter';
import type { TotalsStore } from './totals.store';

/** Adds the operation of this module. */
export function totalsRoutes(routes: Routes, totals: TotalsStore): void {
  routes.bind(totalsContract.summarize).to(async ({ principal, query }) => {
    const found = await totals.read(principal.environmentId, query);
    return {
      status: 200,
      body: {
        data: found.rows.map(presentTotalsRow),
        total: presentSums(found.total),
        currency: 'USD' as const,
        complete_until: found.completeUntil?.toISOString() ?? null,
      },
    };
  });
}
