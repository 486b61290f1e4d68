import type { Database } from '../../../db/pool/database';
import { query } from '../../../db/query';
import { moneyHash } from '../statements/line-hashes';
import type { DecidableLine, DecisionAction, DecisionOutcome } from './line-decision';

// $1 environment_id, $2 entry_ids
const readLines = query(
  'read_lines_to_decide',
  `
  SELECT o.entry_id, o.account_id, o.day::text, o.direction, o.amount_cents, o.reference, o.digest, o.state, o.outcome,
         o.reason, o.is_decided, o.charges_cents, COALESCE(l.own_day, o.day)::text AS booked_on,
         d.has_work AS is_pending, d.is_changed, COALESCE((
           SELECT max(n.number) FROM line_decisions n
            WHERE n.environment_id = o.environment_id AND n.entry_id IN (o.entry_id, o.decision_entry_id)), 0) AS newest_decision,
         COALESCE((
           SELECT jsonb_agg(jsonb_build_object(
                    'transactionId', p.transaction_id, 'kind', p.kind, 'amountCents', p.amount_cents::text,
                    'chargesCents', p.charges_cents::text, 'confidence', p.confidence, 'state', p.state)
                    ORDER BY p.transaction_id)
             FROM line_allocations p
            WHERE p.environment_id = o.environment_id AND p.account_id = o.account_id AND p.day = o.day
              AND p.bucket = o.bucket AND p.entry_id = o.entry_id), '[]') AS allocations
    FROM line_outcomes o
    JOIN account_days d ON d.environment_id = o.environment_id AND d.account_id = o.account_id AND d.day = o.day
    JOIN statement_lines l
      ON l.environment_id = o.environment_id AND l.statement_id = o.statement_id AND l.number = o.number
   WHERE o.environment_id = $1 AND o.entry_id = ANY ($2::uuid[])
  `,
);

// $1 environment_id, $2 decisions, $3 who decided
const decideLines = query('decide_lines', 'SELECT decide_lines($1, $2::jsonb, $3) AS outcomes', {
  writes: true,
});

// $1 environment_id, $2 entry_id, $3 action, $4 allocations, $5 reason
const findSame = query(
  'find_line_decision',
  `
  SELECT max(d.number) AS number FROM line_decisions d
   WHERE d.environment_id = $1 AND d.entry_id = $2 AND d.action = $3 AND d.allocations = $4::jsonb AND d.reason = $5
  `,
);

// Newest first, with those that moved to the line. $1 environment_id, $2 entry_id
const listDecisions = query(
  'list_line_decisions',
  `
  SELECT d.decision_id, d.number, d.action, d.allocations, d.reason, d.decided_by, d.decided_at FROM line_decisions d
   WHERE d.environment_id = $1 AND d.entry_id IN ($2, (
     SELECT o.decision_entry_id FROM line_outcomes o WHERE o.environment_id = $1 AND o.entry_id = $2))
   ORDER BY d.number DESC LIMIT 100
  `,
);

interface LineRow {
  entry_id: string;
  account_id: string;
  day: string;
  direction: DecidableLine['direction'];
  amount_cents: string;
  reference: string | null;
  digest: string;
  state: DecidableLine['state'];
  outcome: DecidableLine['outcome'];
  reason: DecidableLine['reason'];
  is_decided: boolean;
  charges_cents: string;
  booked_on: string;
  is_pending: boolean;
  is_changed: boolean;
  newest_decision: number;
  allocations: (Omit<DecidableLine['allocations'][number], 'amountCents' | 'chargesCents'> & {
    amountCents: string;
    chargesCents: string;
  })[];
}

/** A decision that was recorded. */
export interface RecordedDecision {
  decision_id: string;
  number: number;
  action: DecisionAction;
  allocations: { transaction_id: string; cents: string }[];
  reason: string;
  decided_by: string;
  decided_at: Date;
}

export interface NewDecision {
  decisionId: string;
  action: DecisionAction;
  allocations: readonly { transactionId: string; cents: bigint }[];
  reason: string;
  seen: number | undefined;
}

const lineOf = (environmentId: number, row: LineRow): DecidableLine => ({
  ...{ environmentId, accountId: row.account_id, day: row.day, entryId: row.entry_id },
  ...{ direction: row.direction, cents: BigInt(row.amount_cents), reference: row.reference },
  ...{ digest: row.digest, state: row.state, outcome: row.outcome, reason: row.reason },
  ...{ isDecided: row.is_decided, chargesCents: BigInt(row.charges_cents), bookedOn: row.booked_on },
  ...{ isPending: row.is_pending, isChanged: row.is_changed, newestDecision: row.newest_decision },
  allocations: row.allocations.map((one) => ({
    ...one,
    amountCents: BigInt(one.amountCents),
    chargesCents: BigInt(one.chargesCents),
  })),
});

const allocationRows = (allocations: NewDecision['allocations']) =>
  allocations.map(({ transactionId, cents }) => ({ transaction_id: transactionId, cents: cents.toString() }));

export interface DecisionOfLine {
  entryId: string;
  /** Undefined if the line does not exist any more: its decisions can be taken back. */
  line: DecidableLine | undefined;
  decision: NewDecision;
  /** What the contributions of the decision expect together. */
  expectedCents?: bigint;
}

const decisionRow = ({ entryId, line, decision, expectedCents = 0n }: DecisionOfLine) => ({
  entry_id: entryId,
  decision_id: decision.decisionId,
  action: decision.action,
  allocations: allocationRows(decision.allocations),
  reason: decision.reason,
  money_hash: line ? moneyHash(line.accountId, line) : null,
  seen: decision.seen ?? null,
  expected_cents: expectedCents.toString(),
});

export function createLineDecisionsStore(database: Pick<Database, 'run'>) {
  return {
    /** The lines that exist, in any order. */
    async lines(environmentId: number, entryIds: readonly string[]): Promise<DecidableLine[]> {
      const rows = await database.run<LineRow>(readLines, [environmentId, entryIds]);
      return rows.map((row) => lineOf(environmentId, row));
    },
    /**
     * Appends decisions about different lines in one transaction, and queues the lines with their
     * money.
     *
     * @returns the outcomes by entry id
     */
    async append(
      environmentId: number,
      decidedBy: string,
      decisions: readonly DecisionOfLine[],
    ): Promise<Map<string, DecisionOutcome>> {
      const values = [environmentId, JSON.stringify(decisions.map(decisionRow)), decidedBy];
      const [row] = await database.run<{ outcomes: Record<string, DecisionOutcome> }>(decideLines, values);
      return new Map(Object.entries(row?.outcomes ?? {}));
    },
    async appendOne(environmentId: number, decidedBy: string, decision: DecisionOfLine) {
      const outcomes = await this.append(environmentId, decidedBy, [decision]);
      return outcomes.get(decision.entryId) ?? 'no_line';
    },
    /** The number of the latest equal decision, if there is one. */
    async findSame(environmentId: number, entryId: string, { action, allocations, reason }: NewDecision) {
      const given = JSON.stringify(allocationRows(allocations));
      const values = [environmentId, entryId, action, given, reason];
      const [row] = await database.run<{ number: number | null }>(findSame, values);
      return row?.number ?? undefined;
    },
    /** Newest first. */
    list: (environmentId: number, entryId: string): Promise<RecordedDecision[]> =>
      database.run(listDecisions, [environmentId, entryId]),
  };
}

export type LineDecisionsStore = ReturnType<typeof createLineDecisionsStore>;
