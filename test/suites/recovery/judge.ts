import type { Contribution, Mark, Step } from './history';

/** A contribution in a restored database. */
export interface Row {
  transaction_id: string;
  environment_id: number;
  amount_cents: string;
  project_id: number;
  user_hash: string | null;
  idempotency_key: string | null;
  status: string;
  bank_reference: string | null;
}

/** One sentence for each violation. */
export interface Judgement {
  readonly wrong: string[];
  /**
   * Requests that were acknowledged at some time and are missing in this database: partners and
   * banks must repeat them.
   */
  readonly missing: { creates: Contribution[]; completions: Contribution[] };
}

/** Whether a database restored to the mark must, must not, or may contain the effect of a step. */
function expectation(step: Step | undefined, mark: Mark): 'must' | 'must not' | 'may' {
  if (step === undefined || step.sent > mark.after) return 'must not';
  return (step.acknowledged ?? Infinity) < mark.before ? 'must' : 'may';
}

function check(what: string, step: Step | undefined, mark: Mark, isThere: boolean): string[] {
  const expected = expectation(step, mark);
  if (expected === 'must' && !isThere) return [`${what} was acknowledged before the point and is missing`];
  if (expected === 'must not' && isThere) return [`${what} was requested after the point but exists`];
  return [];
}

/**
 * Compares the clients' responses with a restored database. Everything acknowledged before the mark
 * must exist once as requested, and nothing that was sent after it may exist.
 */
export function judge(contributions: readonly Contribution[], rows: readonly Row[], mark: Mark): Judgement {
  const byKey = new Map<string | null, Row>();
  const wrong: string[] = [];
  for (const row of rows) {
    if (byKey.has(row.idempotency_key)) wrong.push(`${row.transaction_id} exists twice`);
    byKey.set(row.idempotency_key, row);
  }
  const missing: Judgement['missing'] = { creates: [], completions: [] };
  for (const contribution of contributions) {
    const { create, completion, idempotencyKey } = contribution;
    const row = byKey.get(idempotencyKey);
    byKey.delete(idempotencyKey);
    const isCompleted = row?.status === 'completed';
    wrong.push(
      ...check(`the contribution ${idempotencyKey}`, create, mark, row !== undefined),
      ...check(`the completion of ${idempotencyKey}`, completion, mark, isCompleted),
    );
    if (row && !matchesRequest(row, contribution)) wrong.push(`${idempotencyKey} does not match its request`);
    if (create.acknowledged !== undefined && !row) missing.creates.push(contribution);
    if (completion?.acknowledged !== undefined && !isCompleted) missing.completions.push(contribution);
  }
  for (const row of byKey.values()) wrong.push(`nobody requested ${row.transaction_id}`);
  return { wrong, missing };
}

function matchesRequest(row: Row, contribution: Contribution): boolean {
  return (
    row.environment_id === contribution.environment.environmentId &&
    Number(row.amount_cents) === contribution.amountCents &&
    row.project_id === contribution.projectId &&
    row.user_hash === contribution.userHash &&
    // Without a response its id is unknown.
    (contribution.transactionId ?? row.transaction_id) === row.transaction_id &&
    row.bank_reference === (row.status === 'completed' ? contribution.bankReference : null)
  );
}
