import type { Database } from '../../db/pool/database';
import { query } from '../../db/query';
import { dayMs } from '../../shared/clock';
import {
  type DatedLine,
  daysOfLine,
  type FinalStatement,
  isCovered,
  isOfFirstFormat,
} from './matching/covered-lines';

// $1 environment_id, $2 account_ids, $3 and $4 the range of time in milliseconds
const readFinal = query(
  'read_final_statements',
  `
  SELECT DISTINCT s.account_id, f.format, s.starts_at_ms, s.ends_at_ms, s.made_at
    FROM statements s
    JOIN statement_files f ON f.environment_id = $1 AND f.file_id = s.file_id
   WHERE s.environment_id = $1 AND s.account_id = ANY ($2::uuid[]) AND s.ends_at_ms > $3 AND s.starts_at_ms < $4
     AND s.kind = 'final' AND s.balance <> 'unbalanced' AND f.state <> 'receiving' AND f.voided_at IS NULL
  `,
);

/** Sets `isCovered` for the lines whose days a preferred format covers. */
export async function markCovered(
  database: Pick<Database, 'runUnprepared'>,
  environmentId: number,
  all: readonly (DatedLine & { isCovered: boolean })[],
): Promise<void> {
  const lines = all.filter((line) => !isOfFirstFormat(line));
  if (lines.length === 0) return;
  const days = lines.map(daysOfLine);
  const rows = await database.runUnprepared<{
    account_id: string;
    format: string;
    starts_at_ms: string;
    ends_at_ms: string;
    made_at: string | null;
  }>(readFinal.text, [
    environmentId,
    [...new Set(lines.map(({ accountId }) => accountId))],
    days.reduce((least, [from]) => Math.min(least, from), Infinity) * dayMs,
    (days.reduce((most, [, to]) => Math.max(most, to), -Infinity) + 1) * dayMs,
  ]);
  const statements = rows.map((row): FinalStatement => ({
    accountId: row.account_id,
    format: row.format,
    startsAtMs: Number(row.starts_at_ms),
    endsAtMs: Number(row.ends_at_ms),
    madeAt: row.made_at,
  }));
  for (const line of lines) line.isCovered = isCovered(line, statements);
}
