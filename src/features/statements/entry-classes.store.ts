import type { QueryResultRow } from 'pg';

import type { Database } from '../../db/pool/database';
import { enableWarnings, type Query, query } from '../../db/query';
import { dayMs } from '../../shared/clock';
import { type BatchPartsStore, createBatchPartsStore } from './batch-parts.store';
import type { ClassSource, EntryDecision } from './matching/class-source';
import type { ReconciledEntry } from './matching/entries-of-class';
import { matchingRules } from './matching/matching-rules';
import { entriesOfClasses, isUsed, readBasis } from './entry-basis.query';
import { markCovered } from './final-statements.store';
import { type BatchUse, type PartsUse, statementKey } from './matching/choose-parts';
import { type SourceRow, toSource } from './entry-source-rows';
import { allocationRows, entryRow } from './reconciled-entry-rows';
import { createStatedContributionsStore, type StatedContributionsStore } from './stated-contributions.store';

/** The lines of a class, and the decisions on its entries. */
export interface ClassRows {
  sources: ClassSource[];
  decisions: (EntryDecision & { entryId: string; lineKey: string | null })[];
}

const isNumberedDay = (of: 'st' | 'rs'): string => `${of}.ends_at_ms - ${of}.starts_at_ms = 1`;

// See `ClassSource`.
const startBalance = (of: 'st' | 'rs'): string =>
  `CASE WHEN ${isNumberedDay(of)} AND ${of}.opening_cents <> ${of}.closing_cents
              THEN ${of}.opening_cents END`;

// See `latestEndOf`. Two numbered statements of a day are compared by their numbers.
const endOf = (of: 'st' | 'rs', other: 'st' | 'rs'): string =>
  `CASE WHEN ${isNumberedDay(of)} AND NOT ${isNumberedDay(other)}
        THEN (${of}.starts_at_ms / ${dayMs} + 1) * ${dayMs} ELSE ${of}.ends_at_ms END`;

// `has_parts`: parts replace a batch entry. The date is compared, because the same reference may
// identify a batch of another day. `is_doubtful`: see `ClassSource` and `isIssuedAgain`. For OFFSET
// 0, see `entriesOfClasses`.
// $1 environment_id, $2 class_keys
const readSources = query(
  'read_entry_sources',
  `
  SELECT encode(s.class_key, 'hex') AS class_key, encode(s.parent_key, 'hex') AS parent_key, s.file_id, s.statement_number,
         s.occurrence, s.has_reference, s.direction, s.amount_cents, s.charges_cents, s.currency, s.booking_date::text,
         s.bank_reference, s.problem, s.return_code, s.search, sf.format, st.starts_at_ms, st.ends_at_ms, st.is_period_known, st.made_at,
         (${startBalance('st')})::text AS start_balance,
         st.kind, st.balance, a.account_id, a.direction AS account_direction,
         EXISTS (SELECT FROM (SELECT o.file_id, o.booking_date FROM entry_sources o
                                WHERE o.environment_id = $1 AND o.parent_key = s.class_key OFFSET 0) AS p
                   JOIN statement_files pf ON pf.environment_id = $1 AND pf.file_id = p.file_id
                  WHERE pf.voided_at IS NULL AND pf.state <> 'receiving'
                    AND (pf.format <> sf.format OR COALESCE(p.booking_date = s.booking_date, true))) AS has_parts,
         EXISTS (SELECT FROM (SELECT o.file_id, o.statement_number FROM entry_sources o
                                WHERE o.environment_id = $1 AND o.plain_key = s.class_key OFFSET 0) AS r
                   JOIN statement_files rf ON rf.environment_id = $1 AND rf.file_id = r.file_id
                   JOIN statements rs
                     ON rs.environment_id = $1 AND rs.file_id = r.file_id AND rs.number = r.statement_number
                  WHERE rf.format = sf.format AND rf.voided_at IS NULL AND rf.state <> 'receiving'
                    AND (r.file_id, r.statement_number) <> (s.file_id, s.statement_number)
                    AND (rs.starts_at_ms < ${endOf('st', 'rs')} AND st.starts_at_ms < ${endOf('rs', 'st')}
                         OR abs(rs.starts_at_ms - st.starts_at_ms) = 1 AND rs.period_from = st.period_from
                            AND ${startBalance('rs')} = ${startBalance('st')})
                    AND rs.kind = 'final' AND rs.balance <> 'unbalanced'
                    AND NOT EXISTS (SELECT FROM (SELECT o.file_id, o.statement_number FROM entry_sources o
                                                  WHERE o.environment_id = $1 AND o.class_key = s.class_key OFFSET 0) AS e
                                     WHERE e.file_id = r.file_id AND e.statement_number = r.statement_number)) AS is_doubtful
    FROM unnest($2::bytea[]) AS k (class_key)
   CROSS JOIN LATERAL (
     SELECT o.class_key, o.parent_key, o.file_id, o.statement_number, o.occurrence, o.has_reference, o.direction,
            o.amount_cents, o.charges_cents, o.currency, o.booking_date, o.bank_reference, o.problem, o.return_code, o.search
       FROM entry_sources o
      WHERE o.environment_id = $1 AND o.class_key = k.class_key OFFSET 0
   ) AS s
   CROSS JOIN LATERAL (
     SELECT o.starts_at_ms, o.ends_at_ms, o.is_period_known, o.made_at, o.period_from, o.opening_cents, o.closing_cents,
            o.kind, o.balance, o.account_id
       FROM statements o
      WHERE o.environment_id = $1 AND o.file_id = s.file_id AND o.number = s.statement_number OFFSET 0
   ) AS st
    JOIN statement_files sf ON sf.environment_id = $1 AND sf.file_id = s.file_id
    JOIN statement_accounts a ON a.environment_id = $1 AND a.account_id = st.account_id
   WHERE ${isUsed}
  `,
);

// $1 environment_id, $2 class_keys
const readDecisions = query(
  'read_entry_decisions',
  `
  SELECT encode(e.class_key, 'hex') AS class_key, d.entry_id, d.action, d.allocations, d.line_key
    FROM (${entriesOfClasses}) e
    JOIN reconciliation_decisions d ON d.environment_id = $1 AND d.entry_id = e.entry_id
   WHERE NOT d.is_superseded
   ORDER BY d.number
  `,
);

// $1 environment_id, $2 class_keys, $3 basis, $4 entries, $5 allocations
const putEntries = query(
  'put_statement_entries',
  `SELECT put_statement_entries($1, $2::bytea[], $3, $4::jsonb, $5::jsonb) AS is_put, ${enableWarnings}`,
  { writes: true },
);

/** By the key of the batch entry. */
type PartUses = ReadonlyMap<string, BatchUse>;

/**
 * The default applies to a part that was stored after `uses` was read. The basis then differs, so
 * the class is read again.
 */
const useOf = (row: SourceRow, uses: PartUses): PartsUse =>
  uses.get(row.parent_key ?? '')?.parts.get(statementKey(row.file_id, row.statement_number)) ?? {
    use: 'possible',
    isCovered: true,
  };

const keysOf = (classKeys: readonly string[]): Buffer[] => classKeys.map((key) => Buffer.from(key, 'hex'));

/** What the entries of classes are derived from. */
export interface ReadClasses {
  /**
   * Digests of the lines, parts, decisions, and the final statements that may cover the lines, and
   * the version of the rules.
   */
  basis: string;
  /** Whether a process with newer rules has stored results of the environment. */
  hasNewerRules: boolean;
  /** The environments whose contributions the viewer may see, by their tags. */
  environments: Map<string, number>;
  classes: Map<string, ClassRows>;
}

export interface EntryClassesStore {
  /** Reads classes, and the classes of the batch entries whose parts they contain. */
  readClasses(environmentId: number, classKeys: readonly string[]): Promise<ReadClasses>;
  /**
   * Replaces the entries of these classes.
   *
   * @param basis the result of `readClasses`
   * @returns false, and stores nothing, if the lines, the decisions, the progress or the final
   *   statements of an account have changed since `readClasses`, or a result of newer rules was
   *   stored
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
  line_key: string | null;
}

interface Reading {
  rules: number;
  database: Pick<Database, 'runUnprepared'>;
  parts: BatchPartsStore;
  stated: Pick<StatedContributionsStore, 'visibleEnvironments'>;
}

async function readClasses(
  reading: Reading,
  environmentId: number,
  classKeys: readonly string[],
): Promise<ReadClasses> {
  const { database, parts, stated, rules } = reading;
  const keys = [environmentId, keysOf(classKeys)];
  // The tables grow fast during an import, so a plan from a minute ago can be a bad one.
  const run = <Row extends QueryResultRow>({ text }: Query): Promise<Row[]> =>
    database.runUnprepared<Row>(text, keys);
  // Read the basis first. A later change is then either read below or makes the basis differ.
  const [digest] = await run<{ basis: string; rules: number | null }>(readBasis);
  const rows = (await run<SourceRow>(readSources)).map((row) => ({ row, source: toSource(row) }));
  const parents = [...new Set(rows.flatMap(({ row }) => row.parent_key ?? []))];
  const known = new Set(classKeys);
  // Read the batch entries too. The basis then covers all of their parts, because other parts may
  // count.
  if (parents.some((key) => !known.has(key))) {
    return readClasses(reading, environmentId, [...new Set([...classKeys, ...parents])]);
  }
  const decisions = await run<DecisionRow>(readDecisions);
  // If a batch entry is unusable, for example with incomplete parts, other parts still count.
  const unusable = new Set(rows.flatMap(({ row }) => (row.problem === null ? [] : row.class_key)));
  const decided = new Set(decisions.map((row) => row.class_key).filter((key) => !unusable.has(key)));
  const batches = rows.flatMap(({ row }) =>
    row.has_parts && decided.has(row.class_key) ? row.class_key : [],
  );
  const environments = await stated.visibleEnvironments(environmentId);
  const uses = await parts.usesOf(environmentId, [...new Set([...parents, ...batches])], {
    decided,
    tags: [...environments.keys()],
  });
  await markCovered(
    database,
    environmentId,
    rows.flatMap(({ row, source }) => (row.parent_key === null ? [source] : [])),
  );
  const classes = new Map<string, ClassRows>(classKeys.map((key) => [key, { sources: [], decisions: [] }]));
  for (const { row, source } of rows) {
    if (row.parent_key !== null) Object.assign(source, useOf(row, uses));
    else if (uses.get(row.class_key)?.isWholeKept) source.use = 'certain';
    classes.get(row.class_key)?.sources.push(source);
  }
  for (const row of decisions) {
    const allocations = row.allocations.map((allocation) => ({
      transactionId: allocation.transaction_id,
      cents: BigInt(allocation.cents),
    }));
    const { entry_id: entryId, action, line_key: lineKey } = row;
    classes.get(row.class_key)?.decisions.push({ entryId, action, allocations, lineKey });
  }
  return {
    basis: `${digest?.basis ?? ''} ${rules}`,
    hasNewerRules: (digest?.rules ?? 0) > rules,
    environments,
    classes,
  };
}

/** @param rules the version of the rules of this process */
export function createEntryClassesStore(
  database: Pick<Database, 'run' | 'runUnprepared'>,
  rules = matchingRules,
): EntryClassesStore {
  const reading: Reading = {
    rules,
    database,
    parts: createBatchPartsStore(database),
    stated: createStatedContributionsStore(database),
  };
  return {
    readClasses: (environmentId, classKeys) => readClasses(reading, environmentId, classKeys),
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
