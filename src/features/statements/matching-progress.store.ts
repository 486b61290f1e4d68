import type { Database } from '../../db/pool/database';
import { allEnvironments, type IsRead, type Query, query } from '../../db/query';
import { dayMs } from '../../shared/clock';
import { finalFormats } from './matching/covered-lines';
import { isOutdated, matchingRules } from './matching/matching-rules';

/** A file with entries that are not matched yet. */
export interface UnmatchedFile {
  environmentId: number;
  fileId: string;
}

export type MatchingProgressStore = ReturnType<typeof createMatchingProgressStore>;

export interface Advance {
  /** How many entries were matched before, and how many are matched now. */
  before: number;
  now: number;
  isDone: boolean;
  isEndOfTurn: boolean;
}

/** If a process stops, another one continues its file after this time. */
const claimSeconds = 30;

const isFree = '(f.claimed_until IS NULL OR f.claimed_until < statement_timestamp())';

// Environments take turns. Files in progress count as the first turns of their environment, so an
// environment without files in progress comes first. If an environment has results of newer rules,
// only a process with these rules compares its files.
// $1 maximum number of rows, $2 version of the rules
const unmatchedFilesText = (isRead: IsRead): string => `
  SELECT q.environment_id, q.file_id
    FROM (
      SELECT f.environment_id, f.file_id, f.claimed_until, p.files_turn_at, ${isFree} AS is_free,
             row_number() OVER (PARTITION BY f.environment_id ORDER BY ${isFree}, f.claimed_until NULLS FIRST, f.file_id) AS turn
        FROM statement_files f
        LEFT JOIN matching_progress p ON p.environment_id = f.environment_id ${isRead('p')}
       WHERE f.state = 'stored' AND COALESCE(p.rules, 0) <= $2 ${isRead('f')}
    ) q
   WHERE q.is_free
   ORDER BY q.turn, q.files_turn_at NULLS FIRST, q.claimed_until NULLS FIRST, q.file_id
   LIMIT $1::integer
  `;

const unmatchedFiles = query('list_unmatched_files', unmatchedFilesText(allEnvironments), {
  textOf: unmatchedFilesText,
});

// $1 maximum number of rows, $2 version of the rules
const outdatedFilesText = (isRead: IsRead): string => `
  SELECT f.environment_id, f.file_id
    FROM statement_files f
    LEFT JOIN matching_progress p ON p.environment_id = f.environment_id ${isRead('p')}
   WHERE ${isOutdated('$2')} AND COALESCE(p.rules, 0) <= $2 ${isRead('f')}
   ORDER BY p.files_turn_at NULLS FIRST, f.file_id LIMIT $1::integer
  `;

const outdatedFiles = query('list_outdated_files', outdatedFilesText(allEnvironments), {
  textOf: outdatedFilesText,
});

// Sets `claimed_until`, so that the file comes after the other files of its environment.
// $1 environment_id, $2 version of the rules, $3 file_id
const queueOutdatedFile = query(
  'queue_outdated_file',
  `
  UPDATE statement_files f SET state = 'stored', matched_count = 0, claimed_until = statement_timestamp()
   WHERE f.environment_id = $1 AND f.file_id = $3 AND ${isOutdated('$2')}
  `,
);

// Excludes files that are matched again, for example after a change of the rules.
const oldestUnmatched = query(
  'read_oldest_unmatched_file',
  `
  SELECT COALESCE(EXTRACT(EPOCH FROM statement_timestamp() - min(GREATEST(f.received_at, f.voided_at))), 0)::float8 AS seconds
    FROM statement_files f
   WHERE f.state = 'stored' AND (f.matched_at IS NULL OR f.voided_at IS NOT NULL)
  `,
);

// A file whose first lines were matched by earlier rules starts again.
// $1 environment_id, $2 file_id, $3 version of the rules
const claimFile = query(
  'claim_statement_file',
  `
  UPDATE statement_files f
     SET claimed_until = statement_timestamp() + interval '${claimSeconds} seconds',
         matched_count = CASE WHEN f.rules < $3 THEN 0 ELSE f.matched_count END
   WHERE f.environment_id = $1 AND f.file_id = $2 AND f.state = 'stored' AND ${isFree}
  RETURNING f.matched_count
  `,
);

// $1 environment_id
const takeTurn = query(
  'take_turn_of_files',
  `UPDATE matching_progress p SET files_turn_at = statement_timestamp() WHERE p.environment_id = $1`,
);

// A file that is matched a second time covers nothing new. This never repeats endlessly, because a
// final statement covers only files of less preferred formats.
// $1 environment_id, $2 file_id, $3 formats in the order of preference
const restoreCovered = query(
  'match_covered_files_again',
  `
  UPDATE statement_files f SET state = 'stored', matched_count = 0, claimed_until = NULL
   WHERE f.environment_id = $1 AND f.file_id <> $2 AND f.state <> 'receiving' AND f.voided_at IS NULL
     AND EXISTS (
       SELECT FROM statements s
         JOIN statements c ON c.environment_id = $1 AND c.file_id = $2 AND c.account_id = s.account_id AND c.kind = 'final'
         JOIN statement_files cf ON cf.environment_id = $1 AND cf.file_id = $2
        WHERE s.environment_id = $1 AND s.file_id = f.file_id
          AND (cf.matched_at IS NULL OR cf.voided_at IS NOT NULL)
          AND array_position($3::text[], cf.format) < COALESCE(array_position($3::text[], f.format), 9)
          AND (NOT s.is_period_known
               OR (s.starts_at_ms < c.ends_at_ms + ${2 * dayMs} AND s.ends_at_ms > c.starts_at_ms - ${2 * dayMs})))
  `,
);

// $1 environment_id, $2 file_id, $3 the place after which to start, $4 the number of lines
const nextClasses = query(
  'next_entry_classes',
  `
  SELECT s.place, encode(s.class_key, 'hex') AS class_key, encode(s.parent_key, 'hex') AS parent_key, (
           SELECT encode(s.plain_key, 'hex') FROM entry_sources o
            WHERE o.environment_id = $1 AND o.class_key = s.plain_key LIMIT 1) AS plain_key
    FROM entry_sources s
   WHERE s.environment_id = $1 AND s.file_id = $2 AND s.place > $3
   ORDER BY s.place LIMIT $4::integer
  `,
);

// Fails after a void, which resets the count and the claim so that the file starts again.
// $1 environment_id, $2 file_id, $3 matched entries, $4 the entries that were matched before,
// $5 version of the rules, $6 the seconds of the claim; 0 ends it, and puts the file behind others
const advanceFile = query(
  'advance_statement_file',
  `
  UPDATE statement_files f
     SET matched_count = $3, rules = $5, claimed_until = statement_timestamp() + $6::integer * interval '1 second'
   WHERE f.environment_id = $1 AND f.file_id = $2 AND f.state = 'stored' AND f.matched_count = $4
     AND f.claimed_until IS NOT NULL
  RETURNING f.file_id
  `,
);

// $1 environment_id, $2 file_id, $3 matched entries, $4 the entries that were matched before,
// $5 version of the rules
const finishFile = query(
  'finish_statement_file',
  `
  UPDATE statement_files f SET matched_count = $3, rules = $5, state = 'matched', matched_at = statement_timestamp()
   WHERE f.environment_id = $1 AND f.file_id = $2 AND f.state = 'stored' AND f.matched_count = $4
     AND f.claimed_until IS NOT NULL
  RETURNING f.file_id
  `,
);

/** @param rules the version of the rules of this process */
export function createMatchingProgressStore(database: Pick<Database, 'run'>, rules = matchingRules) {
  async function list(files: Query, most: number): Promise<UnmatchedFile[]> {
    const rows = await database.run<{ environment_id: number; file_id: string }>(files, [most, rules]);
    return rows.map((row) => ({ environmentId: row.environment_id, fileId: row.file_id }));
  }
  return {
    /**
     * Files that no process is matching, of all environments. Environments with the fewest files in
     * progress come first, then those whose last turn is the longest ago.
     */
    unmatched: (most: number) => list(unmatchedFiles, most),
    /**
     * Queues a file that was matched by earlier rules. Environments take turns.
     *
     * @returns false if there is none
     */
    async queueOutdated() {
      const [file] = await list(outdatedFiles, 1);
      if (file) await database.run(queueOutdatedFile, [file.environmentId, rules, file.fileId]);
      return file !== undefined;
    },
    /**
     * Takes a turn of the environment.
     *
     * @returns the number of entries that are already matched; undefined if another process has the
     *   file
     */
    async claim({ environmentId, fileId }: UnmatchedFile) {
      const [row] = await database.run<{ matched_count: number }>(claimFile, [environmentId, fileId, rules]);
      if (row) await database.run(takeTurn, [environmentId]);
      return row?.matched_count;
    },
    /**
     * Queues files of other formats with the same days again, if the file is new or voided: see
     * `isCovered`.
     */
    async matchCoveredAgain({ environmentId, fileId }: UnmatchedFile) {
      await database.run(restoreCovered, [environmentId, fileId, finalFormats]);
    },
    /**
     * The classes of the next lines. Also the classes of their batch entries, and of the same lines
     * in statements that omit the bank's references.
     */
    async nextClasses({ environmentId, fileId }: UnmatchedFile, after: number, most: number) {
      const rows = await database.run<{
        place: number;
        class_key: string;
        parent_key: string | null;
        plain_key: string | null;
      }>(nextClasses, [environmentId, fileId, after, most]);
      const parents = new Set(rows.flatMap((row) => row.parent_key ?? []));
      const plain = rows.flatMap((row) => row.plain_key ?? []);
      const keys = new Set([...rows.map((row) => row.class_key), ...parents, ...plain]);
      return { keys: [...keys], parents: [...parents], last: rows.at(-1)?.place ?? after };
    },
    /** The age of the oldest file that waits to be matched; 0 if there is none. */
    oldestUnmatchedSeconds: async () => {
      const [row] = await database.run<{ seconds: number }>(oldestUnmatched, []);
      return row?.seconds ?? 0;
    },
    /**
     * Stores the progress, and extends the claim of this process, or ends it with the turn.
     *
     * @returns false if the file must be matched from its start, because it was voided or other
     *   contributions became visible
     */
    async advance({ environmentId, fileId }: UnmatchedFile, { before, now, isDone, isEndOfTurn }: Advance) {
      const values = [environmentId, fileId, now, before, rules];
      const rows = isDone
        ? await database.run(finishFile, values)
        : await database.run(advanceFile, [...values, isEndOfTurn ? 0 : claimSeconds]);
      return rows.length > 0;
    },
  };
}
