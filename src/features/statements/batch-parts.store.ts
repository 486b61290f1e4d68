import type { QueryResultRow } from 'pg';

import type { Database } from '../../db/pool/database';
import { type Query, query } from '../../db/query';
import { groupBy } from '../../shared/group-by';
import { markCovered } from './final-statements.store';
import { type BatchUse, chooseParts, type StatedParts } from './matching/choose-parts';
import type { DatedLine } from './matching/covered-lines';
import type { UnmatchedFile } from './matching-progress.store';

const isUsed = `
       (SELECT f.state <> 'receiving' AND f.voided_at IS NULL FROM statement_files f
         WHERE f.environment_id = $1 AND f.file_id = s.file_id)`;

const linesOf = (column: 'parent_key' | 'class_key'): string => `
         SELECT o.${column} AS batch_key, o.class_key, o.file_id, o.statement_number, o.has_reference, o.booking_date,
                o.direction, o.amount_cents,
                COALESCE(o.search -> 'exact' ->> 0, o.search -> 'normalized' ->> 0, (
                  SELECT a.id FROM jsonb_array_elements_text(o.search -> 'attached') AS a (id)
                   WHERE left(a.id, 4) = ANY ($3::text[]) LIMIT 1)) AS named,
                '${column}' = 'class_key' AS is_whole
           FROM entry_sources o
          WHERE o.environment_id = $1 AND o.${column} = k.batch_key`;

// Returns one row for each batch entry in each statement, with its parts or without parts.
// $1 environment_id, $2 keys of the batch entries, $3 the tags of visible environments
const readParts = query(
  'read_parts_of_batch_entries',
  `
  SELECT encode(p.batch_key, 'hex') AS batch_key, p.file_id, p.statement_number, p.is_whole, p.has_reference, p.booking_date,
         p.cents, p.ids, p.named_parts, p.lines, p.key, f.format, st.account_id, st.kind, st.balance, st.starts_at_ms, st.ends_at_ms,
         st.is_period_known, st.made_at
    FROM (
      SELECT s.batch_key, s.file_id, s.statement_number, s.is_whole, bool_or(s.has_reference) AS has_reference,
             min(s.booking_date)::text AS booking_date,
             abs(sum(CASE s.direction WHEN 'credit' THEN s.amount_cents ELSE - s.amount_cents END)) AS cents,
             COALESCE((array_agg(DISTINCT s.named ORDER BY s.named) FILTER (WHERE s.named IS NOT NULL))[1:20], '{}') AS ids,
             count(s.named)::integer AS named_parts, count(*)::integer AS lines,
             md5(string_agg(encode(s.class_key, 'hex'), ',' ORDER BY s.class_key)) AS key
        FROM unnest($2::bytea[]) AS k (batch_key)
       CROSS JOIN LATERAL (${linesOf('parent_key')}
          UNION ALL${linesOf('class_key')}
       ) AS s
       WHERE ${isUsed}
       GROUP BY s.batch_key, s.file_id, s.statement_number, s.is_whole
    ) AS p
    JOIN statement_files f ON f.environment_id = $1 AND f.file_id = p.file_id
    JOIN statements st ON st.environment_id = $1 AND st.file_id = p.file_id AND st.number = p.statement_number
  `,
);

// Other statements may have split the same batch entries differently.
// $1 environment_id, $2 file_id, $3 parent_keys
const readOthers = query(
  'read_other_parts_of_batch_entries',
  `
  SELECT DISTINCT encode(s.class_key, 'hex') AS class_key
    FROM unnest($3::bytea[]) AS k (parent_key)
   CROSS JOIN LATERAL (
     SELECT o.class_key, o.file_id FROM entry_sources o
      WHERE o.environment_id = $1 AND o.parent_key = k.parent_key OFFSET 0
   ) AS s
   WHERE s.file_id <> $2
   ORDER BY class_key
  `,
);

interface PartsRow {
  batch_key: string;
  file_id: string;
  statement_number: number;
  account_id: string;
  is_whole: boolean;
  has_reference: boolean;
  booking_date: string | null;
  cents: string;
  ids: string[];
  named_parts: number;
  lines: number;
  key: string;
  format: string;
  kind: string;
  balance: string;
  starts_at_ms: string;
  ends_at_ms: string;
  is_period_known: boolean;
  made_at: string | null;
}

const toParts = (row: PartsRow): StatedParts & DatedLine => ({
  accountId: row.account_id,
  isWhole: row.is_whole,
  isCovered: false,
  fileId: row.file_id,
  statementNumber: row.statement_number,
  format: row.format,
  startsAtMs: Number(row.starts_at_ms),
  endsAtMs: Number(row.ends_at_ms),
  isTimeKnown: row.is_period_known,
  madeAt: row.made_at,
  startBalance: null,
  isFinal: row.kind === 'final',
  isTrusted: row.balance !== 'unbalanced' && (row.kind === 'final' || row.has_reference),
  bookingDate: row.booking_date,
  ids: row.ids,
  identifiers: [],
  key: row.key,
  hasReference: row.has_reference,
  cents: BigInt(row.cents),
  namedParts: row.named_parts,
  lines: row.lines,
});

const keysOf = (keys: readonly string[]): Buffer[] => keys.map((key) => Buffer.from(key, 'hex'));

/** Runs a statement without a prepared plan, because these tables grow fast during an import. */
type Run = <Row extends QueryResultRow>(read: Query) => Promise<Row[]>;

export type BatchPartsStore = ReturnType<typeof createBatchPartsStore>;

export function createBatchPartsStore(database: Pick<Database, 'runUnprepared'>) {
  const runWith =
    (...values: unknown[]): Run =>
    ({ text }) =>
      database.runUnprepared(text, values);
  return {
    /**
     * Determines which lines of batch entries count.
     *
     * @param decided the batch entries with a decision
     * @param tags of the environments whose contributions the viewer may see
     * @returns by the key of the batch entry
     */
    async usesOf(
      environmentId: number,
      parentKeys: readonly string[],
      { decided, tags }: { decided: ReadonlySet<string>; tags: readonly string[] },
    ): Promise<Map<string, BatchUse>> {
      if (parentKeys.length === 0) return new Map();
      const rows = await runWith(environmentId, keysOf(parentKeys), tags)<PartsRow>(readParts);
      const stated = rows.map((row) => ({ key: row.batch_key, parts: toParts(row) }));
      await markCovered(
        database,
        environmentId,
        stated.map(({ parts }) => parts),
      );
      return new Map(
        [...groupBy(stated, ({ key }) => key)].map(([key, ofBatch]) => [
          key,
          chooseParts(
            ofBatch.map(({ parts }) => parts),
            decided.has(key),
          ),
        ]),
      );
    },
    /** The classes of the parts of the same batch entries in other files. */
    async othersOf({ environmentId, fileId }: UnmatchedFile, parentKeys: readonly string[]) {
      if (parentKeys.length === 0) return [];
      const run = runWith(environmentId, fileId, keysOf(parentKeys));
      return (await run<{ class_key: string }>(readOthers)).map((row) => row.class_key);
    },
  };
}
