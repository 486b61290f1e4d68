import type { Routes } from '../../http/routes';
import { type DecisionBody, decisionsContract } from './decisions.contract';
import type { DecisionRow } from './decisions.store';
import type { DecisionsService } from './decisions.service';
import { presentEntries, signedDollars } from './statements.presenter';

const presentDecision = (row: DecisionRow): DecisionBody => ({
  decision_id: row.decision_id,
  entry_id: row.entry_id,
  action: row.action,
  allocations: row.allocations.map(({ transaction_id: id, cents }) => ({
    transaction_id: id,
    amount: signedDollars(BigInt(cents)),
  })),
  reason: row.reason,
  decided_at: row.decided_at.toISOString(),
  is_superseded: row.is_superseded,
});

/** Adds the operations for decisions to the API. */
export function decisionsRoutes(routes: Routes, decisions: DecisionsService): void {
  routes.bind(decisionsContract.decide).to(async ({ principal, params, body, addToLog }) => {
    const { decision, entry } = await decisions.decide(principal, params.entry_id, body);
    addToLog({ entry_id: decision.entry_id });
    const [presented] = presentEntries(entry);
    if (!presented) throw new Error('a decided entry has no rows');
    return { status: 200, body: { decision: presentDecision(decision), entry: presented } };
  });

  routes.bind(decisionsContract.list).to(async ({ principal, params }) => ({
    status: 200,
    body: { data: (await decisions.list(principal, params.entry_id)).map(presentDecision), has_more: false },
  }));
}
