import type { Database } from '../../db/pool/database';
import { statement } from '../../db/statement';
import type { EntryDecision } from './matching/entries-of-class';
import type { EntryBodyRow } from './statement-rows';

export interface DecisionRow {
  decision_id: string;
  entry_id: string;
  action: EntryDecision['action'];
  allocations: { transaction_id: string; cents: string }[];
  reason: string;
  decided_at: Date;
}

/** A row of an entry, with what identifies it among the lines of the statements. */
export interface DecidedEntryRow extends EntryBodyRow {
  class_key: string;
  account_direction: 'credit' | 'debit';
}

// One row for each allocation. $1 environment_id, $2 entry_id
const readEntry = statement(
  'read_statement_entry',
  `
  SELECT e.entry_id, e.direction, e.amount_cents, e.charges_cents, e.currency, e.booking_date::text, e.bank_reference,
         e.return_code, e.outcome, e.reason, e.is_decided, encode(e.class_key, 'hex') AS class_key,
         c.direction AS account_direction,
         a.transaction_id, a.kind, a.amount_cents AS allocated_cents, a.confidence, a.state
    FROM statement_entries e
    JOIN statement_accounts c ON c.environment_id = e.environment_id AND c.account_id = e.account_id
    LEFT JOIN allocations a
      ON a.environment_id = e.environment_id AND a.entry_id = e.entry_id AND a.state <> 'withdrawn'
   WHERE e.environment_id = $1 AND e.entry_id = $2 AND e.standing <> 'absent'
   ORDER BY a.transaction_id
  `,
);

// $1 environment_id, $2 entry_id, $3 decision_id, $4 action, $5 allocations, $6 reason, $7 API key
const decideEntry = statement(
  'decide_entry',
  `
  SELECT decision_id
    FROM decide_entry($1::integer, $2::uuid, $3::uuid, $4::text, $5::jsonb, $6::text, $7::text) AS decision_id
  `,
  { writes: true },
);

// Newest first. $1 environment_id, $2 entry_id
const listDecisions = statement(
  'list_entry_decisions',
  `
  SELECT d.decision_id, d.entry_id, d.action, d.allocations, d.reason, d.decided_at
    FROM reconciliation_decisions d
   WHERE d.environment_id = $1 AND d.entry_id = $2
   ORDER BY d.number DESC LIMIT 100
  `,
);

export interface NewDecision {
  entryId: string;
  decisionId: string;
  action: EntryDecision['action'];
  allocations: readonly { transactionId: string; cents: bigint }[];
  reason: string;
}

export interface DecisionsStore {
  /** One row for each allocation; none if the environment has no such entry. */
  readEntry(environmentId: number, entryId: string): Promise<DecidedEntryRow[]>;
  /**
   * @returns false if there is no such entry. The newest decision of the entry stays if it is the
   *   same.
   */
  append(environmentId: number, apiKey: string, decision: NewDecision): Promise<boolean>;
  /** Newest first. */
  list(environmentId: number, entryId: string): Promise<DecisionRow[]>;
}

export function createDecisionsStore(database: Pick<Database, 'run'>): DecisionsStore {
  return {
    readEntry: (environmentId, entryId) => database.run(readEntry, [environmentId, entryId]),
    async append(environmentId, apiKey, { entryId, decisionId, action, allocations, reason }) {
      const parts = allocations.map(({ transactionId, cents }) => ({
        transaction_id: transactionId,
        cents: cents.toString(),
      }));
      const [row] = await database.run<{ decision_id: string | null }>(decideEntry, [
        environmentId,
        entryId,
        decisionId,
        action,
        JSON.stringify(parts),
        reason,
        apiKey,
      ]);
      return (row?.decision_id ?? null) !== null;
    },
    list: (environmentId, entryId) => database.run(listDecisions, [environmentId, entryId]),
  };
}
