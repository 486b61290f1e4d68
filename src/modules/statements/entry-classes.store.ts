import type { Database } from '../../db/pool/database';
import { enableWarnings, statement } from '../../db/statement';
import type { ClassSource, EntryDecision, ReconciledEntry } from './matching/entries-of-class';
import type { EntrySearch } from './matching/match-entry';
import type { EntryProblem } from './matching/source-entries';

/** The lines of a class, and what was decided about its entries. */
export interface ClassRows {
  sources: ClassSource[];
  hasParts: boolean;
  decisions: (EntryDecision & { entryId: string })[];
}

// Digest of the lines, their parts, the decisions, and of what was seen of completions, lists and
// links, as put_statement_entries computes it.
// $1 environment_id, $2 class_keys
const readBasis = statement(
  'read_entry_basis',
  `
  SELECT md5(concat((
    SELECT string_agg(s.file_id || ' ' || s.place, ',' ORDER BY s.file_id, s.place) FROM entry_sources s
      JOIN statement_files f ON f.environment_id = s.environment_id AND f.file_id = s.file_id
     WHERE s.environment_id = $1 AND s.class_key = ANY ($2::bytea[])
       AND f.state <> 'receiving' AND f.voided_at IS NULL
  ), ';', (
    SELECT string_agg(s.file_id || ' ' || s.place, ',' ORDER BY s.file_id, s.place) FROM entry_sources s
      JOIN statement_files f ON f.environment_id = s.environment_id AND f.file_id = s.file_id
     WHERE s.environment_id = $1 AND s.parent_key = ANY ($2::bytea[])
       AND f.state <> 'receiving' AND f.voided_at IS NULL
  ), ';', (
    SELECT string_agg(d.decision_id::text, ',' ORDER BY d.decision_id) FROM reconciliation_decisions d
      JOIN statement_entries e ON e.environment_id = d.environment_id AND e.entry_id = d.entry_id
     WHERE d.environment_id = $1 AND e.class_key = ANY ($2::bytea[])
  ), ';', (
    SELECT concat_ws(' ', p.seen_sequence, p.seen_lists, p.seen_links) FROM matching_progress p
     WHERE p.environment_id = $1
  ))) AS basis
  `,
);

// $1 environment_id, $2 class_keys
const readSources = statement(
  'read_entry_sources',
  `
  SELECT encode(s.class_key, 'hex') AS class_key, s.file_id, s.statement_number, s.occurrence, s.has_reference, s.direction,
         s.amount_cents, s.charges_cents, s.currency, s.booking_date::text, s.bank_reference, s.problem, s.return_code,
         s.search, st.starts_at_ms, st.ends_at_ms, st.is_period_known, st.kind, st.balance, a.account_id,
         a.direction AS account_direction,
         EXISTS (SELECT FROM entry_sources p
                   JOIN statement_files pf ON pf.environment_id = p.environment_id AND pf.file_id = p.file_id
                  WHERE p.environment_id = $1 AND p.parent_key = s.class_key
                    AND pf.voided_at IS NULL AND pf.state <> 'receiving') AS has_parts
    FROM entry_sources s
    JOIN statement_files f ON f.environment_id = s.environment_id AND f.file_id = s.file_id
    JOIN statements st
      ON st.environment_id = s.environment_id AND st.file_id = s.file_id AND st.number = s.statement_number
    JOIN statement_accounts a ON a.environment_id = st.environment_id AND a.account_id = st.account_id
   WHERE s.environment_id = $1 AND s.class_key = ANY ($2::bytea[])
     AND f.voided_at IS NULL AND f.state <> 'receiving'
  `,
);

// $1 environment_id, $2 class_keys
const readDecisions = statement(
  'read_entry_decisions',
  `
  SELECT encode(e.class_key, 'hex') AS class_key, d.entry_id, d.action, d.allocations
    FROM reconciliation_decisions d
    JOIN statement_entries e ON e.environment_id = d.environment_id AND e.entry_id = d.entry_id
   WHERE d.environment_id = $1 AND e.class_key = ANY ($2::bytea[])
   ORDER BY d.number
  `,
);

// $1 environment_id, $2 class_keys, $3 basis, $4 entries, $5 allocations
const putEntries = statement(
  'put_statement_entries',
  `SELECT put_statement_entries($1, $2::bytea[], $3, $4::jsonb, $5::jsonb) AS is_put, ${enableWarnings}`,
  { writes: true },
);

interface SourceRow {
  class_key: string;
  file_id: string;
  statement_number: number;
  occurrence: number;
  has_reference: boolean;
  direction: 'credit' | 'debit';
  amount_cents: string | null;
  charges_cents: string;
  currency: string;
  booking_date: string | null;
  bank_reference: string | null;
  problem: EntryProblem | null;
  return_code: string | null;
  search: EntrySearch;
  starts_at_ms: string;
  ends_at_ms: string;
  is_period_known: boolean;
  kind: string;
  balance: string;
  account_id: string;
  account_direction: 'credit' | 'debit';
  has_parts: boolean;
}

const toSource = (row: SourceRow): ClassSource => ({
  fileId: row.file_id,
  statementNumber: row.statement_number,
  startsAtMs: Number(row.starts_at_ms),
  endsAtMs: Number(row.ends_at_ms),
  isTimeKnown: row.is_period_known,
  isFinal: row.kind === 'final',
  isUnbalanced: row.balance === 'unbalanced',
  accountId: row.account_id,
  accountDirection: row.account_direction,
  occurrence: row.occurrence,
  hasReference: row.has_reference,
  direction: row.direction,
  amountCents: row.amount_cents === null ? null : BigInt(row.amount_cents),
  chargesCents: BigInt(row.charges_cents),
  currency: row.currency,
  bookingDate: row.booking_date,
  bankReference: row.bank_reference,
  problem: row.problem,
  returnCode: row.return_code,
  search: row.search,
});

const entryRow = (entry: ReconciledEntry) => ({
  entry_id: entry.entryId,
  class_key: entry.classKey,
  occurrence: entry.occurrence,
  account_id: entry.accountId,
  standing: entry.standing,
  direction: entry.direction,
  amount_cents: entry.amountCents?.toString() ?? null,
  charges_cents: entry.chargesCents.toString(),
  currency: entry.currency,
  booking_date: entry.bookingDate,
  bank_reference: entry.bankReference,
  return_code: entry.returnCode,
  outcome: entry.outcome,
  reason: entry.reason,
  is_decided: entry.isDecided,
  waits_for: entry.waitsFor,
});

const allocationRows = ({ entryId, allocations }: ReconciledEntry) =>
  allocations.map((allocation) => ({
    entry_id: entryId,
    transaction_id: allocation.transactionId,
    transaction_environment_id: allocation.environmentId,
    kind: allocation.kind,
    amount_cents: allocation.cents.toString(),
    expected_cents: allocation.amountCents.toString(),
    confidence: allocation.confidence,
    state: allocation.isConfirmed ? 'confirmed' : 'proposed',
  }));

const keysOf = (classKeys: readonly string[]): Buffer[] => classKeys.map((key) => Buffer.from(key, 'hex'));

export interface EntryClassesStore {
  /** `basis` is a digest of the lines, their parts and the decisions. */
  readClasses(
    environmentId: number,
    classKeys: readonly string[],
  ): Promise<{ basis: string; classes: Map<string, ClassRows> }>;
  /**
   * Replaces the entries of these classes.
   *
   * @param basis of the classes that the entries were derived from
   * @returns false if the lines, the decisions or the progress have changed since; nothing was
   *   stored then
   */
  put(
    environmentId: number,
    classKeys: readonly string[],
    basis: string,
    entries: readonly ReconciledEntry[],
  ): Promise<boolean>;
}

interface DecisionRow {
  class_key: string;
  entry_id: string;
  action: EntryDecision['action'];
  allocations: { transaction_id: string; cents: string }[];
}

async function readClasses(
  database: Pick<Database, 'run'>,
  environmentId: number,
  classKeys: readonly string[],
): Promise<{ basis: string; classes: Map<string, ClassRows> }> {
  const keys = [environmentId, keysOf(classKeys)];
  // Read first: what changes afterwards is read now or makes the basis differ.
  const [digest] = await database.run<{ basis: string }>(readBasis, keys);
  const classes = new Map<string, ClassRows>(
    classKeys.map((key) => [key, { sources: [], hasParts: false, decisions: [] }]),
  );
  for (const row of await database.run<SourceRow>(readSources, keys)) {
    const known = classes.get(row.class_key);
    known?.sources.push(toSource(row));
    if (known) known.hasParts ||= row.has_parts;
  }
  for (const row of await database.run<DecisionRow>(readDecisions, keys)) {
    const allocations = row.allocations.map((allocation) => ({
      transactionId: allocation.transaction_id,
      cents: BigInt(allocation.cents),
    }));
    classes.get(row.class_key)?.decisions.push({ entryId: row.entry_id, action: row.action, allocations });
  }
  return { basis: digest?.basis ?? '', classes };
}

export function createEntryClassesStore(database: Pick<Database, 'run'>): EntryClassesStore {
  return {
    readClasses: (environmentId, classKeys) => readClasses(database, environmentId, classKeys),
    async put(environmentId, classKeys, basis, entries) {
      const [row] = await database.run<{ is_put: boolean }>(putEntries, [
        environmentId,
        keysOf(classKeys),
        basis,
        JSON.stringify(entries.map(entryRow)),
        JSON.stringify(entries.flatMap(allocationRows)),
      ]);
      return row?.is_put ?? false;
    },
  };
}
