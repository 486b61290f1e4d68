import type { Routes } from '../../../http/routes';
import { formatCents } from '../../../shared/money';
import { listSettlements } from './settlement-lists.contract';
import { readSettlementLists } from './settlement-lists';
import type { SettlementListsStore } from './settlement-lists.store';

/**
 * Adds the upload of settlement lists to the API.
 *
 * @param follow called after a list was stored
 */
export function settlementListsRoutes(routes: Routes, lists: SettlementListsStore, follow: () => void): void {
  routes.bind(listSettlements).to(async ({ principal, upload }) => {
    const stored = [];
    for (const list of readSettlementLists(upload)) {
      const isNew = await lists.put(principal.environmentId, principal.apiKey, list);
      stored.push({
        reference: list.reference,
        outcome: isNew ? ('stored' as const) : ('unchanged' as const),
        contributions: list.lines.length,
        amount: formatCents(list.lines.reduce((sum, { cents }) => sum + cents, 0n)),
      });
    }
    follow();
    return { status: 200, body: { settlements: stored } };
  });
}
