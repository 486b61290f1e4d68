import type { Router } from 'express';

import { bind, type EndpointDependencies } from '../../http/endpoint';
import { totalsContract } from './totals.contract';
import { presentSums, presentTotalsRow } from './totals.presenter';
import type { TotalsStore } from './totals.store';

/** Adds the operation of this module. Its path must precede that of a contribution. */
export function totalsRoutes(router: Router, http: EndpointDependencies, totals: TotalsStore): void {
  bind(router, http, totalsContract.summarize).to(async ({ principal, query }) => {
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
