import { LRUCache } from 'lru-cache';
import { v7 as uuidv7 } from 'uuid';

import type { Database } from '../../db/pool/database';
import { ConstraintViolation } from '../../db/errors';
import { type Query, query } from '../../db/query';
import type { Clock } from '../../shared/clock';
import { CompanyFrozen } from '../../shared/errors';
import type { EnvironmentKind, Principal } from '../../shared/scopes';
import { generateTransactionId, type ParsedTransactionId } from '../../shared/transaction-id';
import {
  completeAsSimulatedBank,
  completeContribution,
  type CompleteContributionRow,
} from './complete-contribution.query';
import { type Complete, type CompleteSet, createCompleteSet } from './completion-sets.store';
import { createContribution, type CreateContributionRow } from './create-contribution.query';
import { transactionColumns, withUser } from './contribution-columns.query';
import type { Contribution, Evidence, NewContribution, SingleCompleteOutcome } from './contribution';
import { nearestTransaction } from './nearest-transaction';

export type CreateOutcome =
  | { kind: 'created' | 'replayed' | 'key_reused'; transactionId: string }
  | {
      kind: 'environment_retired' | 'company_suspended' | 'project_unknown' | 'project_archived';
    };

export interface ContributionsStore {
  create(principal: Principal, contribution: NewContribution): Promise<CreateOutcome>;
  complete: Complete;
  completeSet: CompleteSet;
  /** Completes a contribution of an environment as the simulated bank of the sandbox. */
  completeAsSimulatedBank(
    environmentId: number,
    transactionId: string,
    evidence: Evidence,
  ): Promise<SingleCompleteOutcome>;
  find(principal: Principal, id: ParsedTransactionId): Promise<Contribution | undefined>;
}

/**
 * The maximum number of attempts. A query that loses a race runs again and finds the winner's
 * row. A generated id collides once in a million.
 */
const maxAttempts = 5;

/**
 * The unique keys that a create can violate. Nothing is recorded then. The next attempt generates
 * another id, and finds the contribution with the same idempotency key.
 */
const uniqueKeysOfCreate = new Set(['transactions_pkey', 'transactions_idempotency_key_key']);

/** $1 caller's environment_id, $2 environment_id of the tag, $3 transaction_id */
export const findContribution = query(
  'find_transaction',
  `
  WITH ${nearestTransaction('$2', '$3')}
  SELECT ${transactionColumns}, c.company_id AS "companyId", c.name AS "companyName"
    FROM judged t ${withUser}
    JOIN environments e ON e.environment_id = t.environment_id
    JOIN companies c ON c.company_id = e.company_id
   WHERE t.is_visible AND t.transaction_id = $3 AND u.environment_id = $2`,
);

/** PostgreSQL's bigint is text. */
export interface ContributionRow
  extends Omit<Contribution, 'amountCents' | 'returnedCents' | 'own'>, NonNullable<Contribution['own']> {
  amountCents: string;
  returnedCents: string;
  isOwn: boolean;
}

export function toContribution({
  isOwn,
  userHash,
  name,
  idempotencyKey,
  ...row
}: ContributionRow): Contribution {
  return {
    ...row,
    amountCents: BigInt(row.amountCents),
    returnedCents: BigInt(row.returnedCents),
    ...(isOwn && { own: { userHash, name, idempotencyKey } }),
  };
}

/**
 * @returns undefined if a concurrent query won; run this one again to read its result
 * @throws CompanyFrozen
 */
function readCreateRow(row: CreateContributionRow, principal: Principal): CreateOutcome | undefined {
  if (row.created_id !== null) return { kind: 'created', transactionId: row.created_id };
  if (row.earlier_id !== null) {
    return { kind: row.same_request ? 'replayed' : 'key_reused', transactionId: row.earlier_id };
  }
  if (row.is_suspended === null && row.same_request === false)
    throw new CompanyFrozen(principal.environmentKind);
  if (row.is_suspended === null) return { kind: 'environment_retired' };
  if (row.is_suspended) return { kind: 'company_suspended' };
  if (row.project_status === null) return { kind: 'project_unknown' };
  return row.project_status === 'archived' ? { kind: 'project_archived' } : undefined;
}

function readCompleteRow(row: CompleteContributionRow): SingleCompleteOutcome | undefined {
  if (!row.caller_is_live) return 'caller_not_live';
  if (row.status_before === null) return 'unknown';
  if (!row.is_permitted) return 'reserved_for_bank';
  if (row.is_anothers) return 'contested';
  if (row.amount_differs) return 'amount_differs';
  if (row.is_completed_now) return 'completed';
  if (!row.was_completed_before) return undefined;
  const { status_before: before } = row;
  return before === 'undone' || before === 'barred' ? before : 'replayed';
}

/** Repeats an attempt until it has an outcome. */
async function retry<Outcome>(attempt: () => Promise<Outcome | undefined>): Promise<Outcome> {
  for (let count = 0; count < maxAttempts; count += 1) {
    const outcome = await attempt();
    if (outcome !== undefined) return outcome;
  }
  throw new Error('no outcome after repeated attempts');
}

const valuesOf = ({ amountCents, bankReference, valueDate }: Evidence) => [
  amountCents ?? null,
  bankReference ?? null,
  valueDate ?? null,
];

const findEnvironmentByTag = query(
  'find_environment_by_tag',
  'SELECT e.environment_id, e.kind FROM environments e WHERE e.transaction_tag = $1 AND e.retired_at IS NULL',
);

const maxCached = 10_000;

/**
 * Queries name the environment itself, because a cluster rejects a lookup of its tag in the same
 * query. In production, a tag and its environment never change, so they are cached without a
 * time limit. In test, a reset gives the tag to another environment. An unknown tag is not cached,
 * because a new environment may get it.
 */
function createEnvironmentsByTag(database: Pick<Database, 'run'>) {
  const cached = new LRUCache<string, number>({ max: maxCached });
  return {
    /** The environment_id that a transaction tag belongs to; undefined for an unknown tag. */
    async find(caller: Principal, tag: string) {
      if (tag === caller.transactionTag) return caller.environmentId;
      const known = cached.get(tag);
      if (known !== undefined) return known;
      const [row] = await database.run<{ environment_id: number; kind: EnvironmentKind }>(
        findEnvironmentByTag,
        [tag],
      );
      if (row?.kind === 'production') cached.set(tag, row.environment_id);
      return row?.environment_id;
    },
  };
}

export function createContributionsStore(database: Database, clock: Clock): ContributionsStore {
  const completeBy = (
    query: Query,
    values: readonly unknown[],
    kind: EnvironmentKind,
  ): Promise<SingleCompleteOutcome> =>
    retry(async () => {
      const [row] = await database.run<CompleteContributionRow>(query, [...values, uuidv7()]);
      if (row?.caller_is_live === null) throw new CompanyFrozen(kind);
      return row && readCompleteRow(row);
    });
  const complete: ContributionsStore['complete'] = (
    { environmentId, apiKey, environmentKind },
    { transactionId, tag },
    evidence,
  ) => {
    const values = [environmentId, apiKey, tag, transactionId, ...valuesOf(evidence)];
    return completeBy(completeContribution, values, environmentKind);
  };
  const environments = createEnvironmentsByTag(database);
  return {
    create: (principal, contribution) =>
      retry(async () => {
        try {
          const [row] = await database.run<CreateContributionRow>(createContribution, [
            principal.environmentId,
            generateTransactionId(principal.transactionTag, clock.now()),
            contribution.projectId,
            contribution.amountCents,
            contribution.userHash,
            contribution.name ?? null,
            contribution.idempotencyKey ?? null,
            principal.apiKey,
            uuidv7(),
          ]);
          return row && readCreateRow(row, principal);
        } catch (error) {
          if (error instanceof ConstraintViolation && uniqueKeysOfCreate.has(error.constraint))
            return undefined;
          throw error;
        }
      }),

    complete,

    completeSet: createCompleteSet(database, complete),

    completeAsSimulatedBank: (environmentId, transactionId, evidence) =>
      completeBy(completeAsSimulatedBank, [environmentId, transactionId, ...valuesOf(evidence)], 'test'),

    async find(principal, { transactionId, tag }) {
      const environmentId = await environments.find(principal, tag);
      if (environmentId === undefined) return undefined;
      const values = [principal.environmentId, environmentId, transactionId];
      const [row] = await database.run<ContributionRow>(findContribution, values);
      return row && toContribution(row);
    },
  };
}
