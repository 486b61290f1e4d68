import type { Database } from '../../db/pool/database';
import { query } from '../../db/query';
import type { EntryDecision } from './matching/class-source';
import { isOutdated, matchingRules } from './matching/matching-rules';
import type { EntryBodyRow } from './statement-rows';

export interface DecisionRow {
  decision_id: string;
  entry_id: string;
  action: EntryDecision['action'];
  allocations: { transaction_id: string; cents: string }[];
  reason: string;
  decided_at: Date;
  /**
   * True only for an old `complete` that was stored after a decision that counts. New rows are
   * never superseded.
   */
  is_superseded: boolean;
}

/** A row of an entry, with the keys that identify it among the lines of the statements. */
export interface DecidedEntryRow extends EntryBodyRow {
  class_key: string;
  /** The number of the entry's newest decision, or 0. */
  newest_decision: number;
  account_direction: 'credit' | 'debit';
}

// Returns one row for each allocation. $1 environment_id, $2 entry_id
const readEntry = query(
  'read_statement_entry',
  `
  SELECT e.entry_id, e.direction, e.amount_cents, e.charges_cents, e.currency, e.booking_date::text, e.bank_reference,
         e.return_code, e.outcome, e.reason, e.is_decided, encode(e.class_key, 'hex') AS class_key,
         c.direction AS account_direction, COALESCE((
           SELECT max(d.number) FROM reconciliation_decisions d
            WHERE d.environment_id = $1 AND d.entry_id = $2 AND NOT d.is_superseded), 0) AS newest_decision,
         a.transaction_id, a.kind, a.amount_cents AS allocated_cents, a.confidence, a.state
    FROM statement_entries e
    JOIN statement_accounts c ON c.environment_id = e.environment_id AND c.account_id = e.account_id
    LEFT JOIN allocations a
      ON a.environment_id = e.environment_id AND a.entry_id = e.entry_id AND a.state <> 'withdrawn'
   WHERE e.environment_id = $1 AND e.entry_id = $2 AND e.standing <> 'absent'
   ORDER BY a.transaction_id
  `,
);

// $1 environment_id, $2 entry_id, $3 decision_id, $4 action, $5 allocations, $6 reason, $7 API key,
// $8 the number of the newest decision that the caller has seen, or null
const decideEntry = query(
  'decide_entry',
  `
  SELECT outcome
    FROM decide_entry($1::integer, $2::uuid, $3::uuid, $4::text, $5::jsonb, $6::text, $7::text, $8::integer) AS outcome
  `,
  { writes: true },
);

// $1 environment_id, $2 entry_id, $3 action, $4 allocations, $5 reason
const findDecision = query(
  'find_decision',
  `
  SELECT max(d.number) AS number FROM reconciliation_decisions d
   WHERE d.environment_id = $1 AND d.entry_id = $2 AND d.action = $3 AND d.allocations = $4::jsonb AND d.reason = $5
  `,
);

// $1 environment_id, $2 entry_id, $3 version of the rules
const readEntryClass = query(
  'read_entry_class',
  `
  SELECT encode(e.class_key, 'hex') AS class_key, n.decision AS newest_decision,
         n.decision > p.matched_decisions OR EXISTS (
           SELECT FROM entry_sources s
             JOIN statement_files f ON f.environment_id = s.environment_id AND f.file_id = s.file_id
            WHERE s.environment_id = $1 AND s.class_key = e.class_key
              AND (f.state = 'stored' OR ${isOutdated('$3')})) AS is_behind,
         p.rules > $3 AS has_newer_rules
    FROM statement_entries e
    JOIN matching_progress p ON p.environment_id = e.environment_id
   CROSS JOIN LATERAL (
     SELECT COALESCE(max(d.number), 0) AS decision FROM reconciliation_decisions d
      WHERE d.environment_id = $1 AND d.entry_id = $2 AND NOT d.is_superseded
   ) AS n
   WHERE e.environment_id = $1 AND e.entry_id = $2
  `,
);

// Newest first. $1 environment_id, $2 entry_id
const listDecisions = query(
  'list_entry_decisions',
  `
  SELECT d.decision_id, d.entry_id, d.action, d.allocations, d.reason, d.decided_at, d.is_superseded
    FROM reconciliation_decisions d
   WHERE d.environment_id = $1 AND d.entry_id = $2
   ORDER BY d.number DESC LIMIT 100
  `,
);

/** The class of an entry, even if no statement contains the entry any more. */
export interface EntryClass {
  classKey: string;
  newestDecision: number;
  /** Whether a file, a void, a decision or a change of the rules may not have taken effect yet. */
  isBehind: boolean;
  /** Whether a process with newer rules has stored results of the environment. */
  hasNewerRules: boolean;
}

/** The members that are equal in a repeated decision. */
export interface GivenDecision {
  entryId: string;
  action: EntryDecision['action'];
  allocations: readonly { transactionId: string; cents: bigint }[];
  reason: string;
}

export interface NewDecision extends GivenDecision {
  decisionId: string;
}

const allocationsJson = ({ allocations }: GivenDecision): string =>
  JSON.stringify(
    allocations.map(({ transactionId, cents }) => ({
      transaction_id: transactionId,
      cents: cents.toString(),
    })),
  );

export type DecisionsStore = ReturnType<typeof createDecisionsStore>;

export function createDecisionsStore(database: Pick<Database, 'run'>) {
  return {
    async readClass(environmentId: number, entryId: string): Promise<EntryClass | undefined> {
      const [row] = await database.run<{
        class_key: string;
        newest_decision: number;
        is_behind: boolean;
        has_newer_rules: boolean;
      }>(readEntryClass, [environmentId, entryId, matchingRules]);
      return (
        row && {
          classKey: row.class_key,
          newestDecision: row.newest_decision,
          isBehind: row.is_behind,
          hasNewerRules: row.has_newer_rules,
        }
      );
    },
    /** One row for each allocation; none if the environment has no such entry. */
    readEntry: (environmentId: number, entryId: string): Promise<DecidedEntryRow[]> =>
      database.run(readEntry, [environmentId, entryId]),
    /** The number of the latest equal decision, if there is one. */
    async findSame(environmentId: number, decision: GivenDecision) {
      const { entryId, action, reason } = decision;
      const values = [environmentId, entryId, action, allocationsJson(decision), reason];
      const [row] = await database.run<{ number: number | null }>(findDecision, values);
      return row?.number ?? undefined;
    },
    /**
     * Appends a decision, unless the newest decision of the entry is equal.
     *
     * @param seen the newest decision that the caller knows, if given; a decision is refused if a
     *   newer one exists
     */
    async append(
      environmentId: number,
      apiKey: string,
      decision: NewDecision,
      seen: number | undefined,
    ): Promise<'decided' | 'superseded' | 'no_entry'> {
      const [row] = await database.run<{ outcome: 'superseded' | 'appended' | 'same' | null }>(decideEntry, [
        environmentId,
        decision.entryId,
        decision.decisionId,
        decision.action,
        allocationsJson(decision),
        decision.reason,
        apiKey,
        seen ?? null,
      ]);
      const outcome = row?.outcome ?? 'no_entry';
      return outcome === 'superseded' || outcome === 'no_entry' ? outcome : 'decided';
    },
    /** Newest first. */
    list: (environmentId: number, entryId: string): Promise<DecisionRow[]> =>
      database.run(listDecisions, [environmentId, entryId]),
  };
}
