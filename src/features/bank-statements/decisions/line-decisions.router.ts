import type { Routes } from '../../../http/routes';
import { ServiceError } from '../../../shared/errors';
import { formatCents } from '../../../shared/money';
import { transactionNotFound } from '../../../core/contributions/written-transaction-id';
import { entryNotFound } from '../not-found';
import { presentLine } from '../reporting/lines/lines.presenter';
import type { LinesService } from '../reporting/lines/lines.service';
import { decisionTexts, refused } from '../sent-texts';
import type { CompletionOutcome } from './line-decision';
import { type DecisionBody, lineDecisionsContract } from './line-decisions.contract';
import type { Decided, LineDecisionsService } from './line-decisions.service';
import type { RecordedDecision } from './line-decisions.store';

const isRecorded = (outcome: CompletionOutcome): outcome is 'decided' | 'same' =>
  outcome === 'decided' || outcome === 'same';

/** @throws ServiceError if the decision was not recorded */
function checkOutcome({ outcome, line }: Decided): void {
  if (isRecorded(outcome)) return;
  if (outcome === 'no_line') throw entryNotFound();
  if (outcome === 'contribution_not_found') throw transactionNotFound();
  const detail = decisionTexts[outcome];
  if (outcome === 'superseded' || outcome === 'superseded_meanwhile') {
    const number = line ? ` The newest decision has the number ${line.newestDecision}.` : '';
    throw new ServiceError('decision_superseded', { detail: `${detail}${number}` });
  }
  throw refused(outcome, detail);
}

const presentDecision = (row: RecordedDecision): DecisionBody => ({
  decision_id: row.decision_id,
  number: row.number,
  action: row.action,
  allocations: row.allocations.map(({ transaction_id: id, cents }) => ({
    ...{ transaction_id: id, amount: formatCents(BigInt(cents)) },
  })),
  reason: row.reason,
  decided_at: row.decided_at.toISOString(),
});

/** Adds the operations for decisions to the API. */
export function lineDecisionsRoutes(
  routes: Routes,
  decisions: LineDecisionsService,
  lines: Pick<LinesService, 'get'>,
): void {
  routes.bind(lineDecisionsContract.decide).to(async ({ principal, params, body }) => {
    const decided = await decisions.decide(principal, params.entry_id, body);
    checkOutcome(decided);
    const found = await lines.get(principal.environmentId, params.entry_id);
    const entry = found ? presentLine(found.line) : null;
    return { status: 200, body: { entry, is_new: decided.outcome === 'decided' } };
  });

  routes.bind(lineDecisionsContract.decideMany).to(async ({ principal, body }) => {
    const given = body.decisions.map(({ entry_id: entryId, ...one }) => ({ entryId, ...one }));
    const outcomes = await decisions.decideMany(principal, given);
    const data = given.map(({ entryId }, at) => {
      const outcome = outcomes[at] ?? 'no_line';
      const detail = isRecorded(outcome) ? null : decisionTexts[outcome];
      return { entry_id: entryId, outcome, detail };
    });
    return { status: 200, body: { data } };
  });

  routes.bind(lineDecisionsContract.list).to(async ({ principal, params }) => {
    const found = await decisions.list(principal.environmentId, params.entry_id);
    if (found.length === 0 && !(await lines.get(principal.environmentId, params.entry_id)))
      throw entryNotFound();
    return { status: 200, body: { data: found.map(presentDecision), has_more: false } };
  });
}
