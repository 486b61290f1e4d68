import { v7 as uuidv7 } from 'uuid';

import { ServiceError } from '../../shared/errors';
import { formatCents } from '../../shared/money';
import type { Principal } from '../../shared/scopes';
import type { Completion } from '../../core/contributions/contribution';
import type { ContributionsService } from '../../core/contributions/contributions.service';
import { readTransactionId, transactionNotFound } from '../../core/contributions/written-transaction-id';
import { mostCompletions } from './decisions.contract';
import type { DecidedEntryRow, DecisionRow, DecisionsStore, NewDecision } from './decisions.store';
import {
  type Allocations,
  checkCount,
  completeAll,
  type GivenDecision,
  readAllocations,
  visibleContributions,
  wrongAllocations,
} from './given-decisions';
import { newerRules, type ReconcileClasses } from './reconcile-classes';
import type { StatedContributionsStore } from './stated-contributions.store';

export interface DecisionsService {
  /**
   * @throws ServiceError statement_entry_not_found, transaction_not_found, decision_not_applicable,
   *   decision_superseded, overloaded, invalid_request; for `complete` also the errors of a
   *   completion
   */
  decide(
    principal: Principal,
    entryId: string,
    decision: GivenDecision,
  ): Promise<{ decision: DecisionRow; entry: DecidedEntryRow[] }>;
  /** @throws ServiceError statement_entry_not_found */
  list(principal: Principal, entryId: string): Promise<DecisionRow[]>;
}

const entryNotFound = (): ServiceError =>
  new ServiceError('statement_entry_not_found', {
    detail: 'Your statements have no entry with this entry_id.',
  });

const notApplicable = (detail: string): ServiceError =>
  new ServiceError('decision_not_applicable', { detail });

const superseded = (detail: string): ServiceError => new ServiceError('decision_superseded', { detail });

const sentBefore = (): ServiceError =>
  superseded('You sent this decision before, and a later one replaced it. The later one stays.');

const cameBefore = (): ServiceError =>
  superseded('Another decision about this entry came first. Nothing was completed. Read the entry again.');

const cameMeanwhile = (): ServiceError =>
  superseded(
    'Another decision came while the contributions were completed, and counts. They stay completed.',
  );

/** The amount of an entry. For a payment, adds the charges that the bank deducted. */
function centsOf(entry: DecidedEntryRow): bigint {
  const isPayment = entry.direction === entry.account_direction;
  return BigInt(entry.amount_cents ?? '0') + (isPayment ? BigInt(entry.charges_cents) : 0n);
}

const unusable: ReadonlySet<string> = new Set(['unreadable', 'other_currency', 'not_booked', 'sums_differ']);

/** @throws ServiceError decision_not_applicable, invalid_request */
function checkSum(entry: DecidedEntryRow, allocations: Allocations): void {
  if (entry.amount_cents === null || unusable.has(entry.outcome)) {
    throw notApplicable(`The outcome of this entry is ${entry.outcome}. Only ignore applies to it.`);
  }
  const cents = centsOf(entry);
  const sum = allocations.reduce((total, part) => total + part.cents, 0n);
  if (sum === cents) return;
  throw wrongAllocations(`The amounts must sum to the entry, which is ${formatCents(cents)}.`);
}

const mostReads = 10;

export interface DecisionDependencies {
  store: DecisionsStore;
  contributions: Pick<ContributionsService, 'complete' | 'findRefused'>;
  stated: Pick<StatedContributionsStore, 'visibleEnvironments' | 'findContributions'>;
  reconcile: ReconcileClasses;
}

export function createDecisionsService(dependencies: DecisionDependencies): DecisionsService {
  const { store, contributions, stated, reconcile } = dependencies;

  /**
   * The entry that results from all files, voids and decisions so far. Applies those that still
   * wait for the background task.
   */
  async function readCurrent(viewer: number, entryId: string): Promise<DecidedEntryRow[]> {
    for (let attempt = 0; attempt < mostReads; attempt += 1) {
      const before = await store.readClass(viewer, entryId);
      if (!before) return [];
      if (before.hasNewerRules) throw newerRules();
      if (before.isBehind) await reconcile(viewer, [before.classKey]);
      const rows = await store.readEntry(viewer, entryId);
      // Read again if a decision came in between, because it may not have taken effect yet.
      if (rows.every((row) => row.newest_decision === before.newestDecision)) return rows;
    }
    throw new Error('the decisions about the entry changed again and again');
  }

  /**
   * Determines what `complete` will complete. The decision is appended before the first completion.
   * If the process stops between two completions, a repeat of the decision completes the rest.
   *
   * @returns the completions, and the number of the newest decision that they are based on
   */
  async function prepare(
    principal: Principal,
    decision: NewDecision,
    rows: readonly DecidedEntryRow[],
  ): Promise<{ completions: readonly Completion[]; seen: number }> {
    const seen = rows[0]?.newest_decision ?? 0;
    const same = await store.findSame(principal.environmentId, decision);
    if (same !== undefined && same < seen) throw sentBefore();
    const completions = completionsOf(principal, rows);
    const refused = await contributions.findRefused(principal, completions);
    // `completeAll` throws the refusal, and records the attempt.
    if (refused) await completeAll(contributions, principal, [refused]);
    return { completions, seen };
  }

  return {
    async decide(principal, entryId, { action, allocations: given, reason }) {
      checkCount(action, given.length);
      const allocations = readAllocations(given);
      const { environmentId } = principal;
      const rows = await readCurrent(environmentId, entryId);
      const [entry] = rows;
      if (!entry) throw entryNotFound();
      if (allocations.length > 0) {
        checkSum(entry, allocations);
        const ids = allocations.map(({ transactionId }) => transactionId);
        const visible = await visibleContributions(stated, environmentId, ids);
        if (ids.some((id) => !visible.has(id))) throw transactionNotFound();
      }
      const decision = { entryId, decisionId: uuidv7(), action, allocations, reason };
      const prepared = action === 'complete' ? await prepare(principal, decision, rows) : undefined;
      const outcome = await store.append(environmentId, principal.apiKey, decision, prepared?.seen);
      if (outcome === 'no_entry') throw entryNotFound();
      if (outcome === 'superseded') throw prepared ? cameBefore() : sentBefore();
      if (prepared) await completeAll(contributions, principal, prepared.completions);
      // If the process stops here, the background task applies the decision.
      await reconcile(environmentId, [entry.class_key]);
      const newest = (await store.list(environmentId, entryId)).find((one) => !one.is_superseded);
      if (!newest) throw new Error('the decision is not stored');
      if (prepared && newest.action !== action) throw cameMeanwhile();
      const decided = await store.readEntry(environmentId, entryId);
      // The rows are empty if a later void has removed the entry.
      return { decision: newest, entry: decided.length > 0 ? decided : rows };
    },

    async list({ environmentId }, entryId) {
      if ((await store.readEntry(environmentId, entryId)).length === 0) throw entryNotFound();
      return store.list(environmentId, entryId);
    },
  };
}

/** @throws ServiceError scope_missing, decision_not_applicable */
function completionsOf(principal: Principal, rows: readonly DecidedEntryRow[]): Completion[] {
  if (!principal.scopes.includes('contributions:complete')) {
    throw new ServiceError('scope_missing', {
      detail: 'This key pair lacks the scope contributions:complete. Use a pair that has it.',
    });
  }
  const paid = rows.filter(({ kind, state }) => kind === 'payment' && state === 'confirmed');
  if (paid.length === 0) {
    throw notApplicable('This entry pays no contribution. Link it first, or ignore it.');
  }
  if (paid.length > mostCompletions) {
    throw notApplicable(
      `This entry pays ${paid.length} contributions. Complete them with a completion file.`,
    );
  }
  return paid.map((row) => ({
    id: readTransactionId(row.transaction_id ?? ''),
    evidence: {
      amountCents: BigInt(row.allocated_cents ?? '0'),
      bankReference: row.bank_reference ?? undefined,
      valueDate: row.booking_date ?? undefined,
    },
  }));
}
