import type { Pool } from 'pg';

import { generateTransactionId } from '../../../src/shared/transaction-id';
import { createCompletions } from '../../support/completions';
import { createTestDatabase } from '../../support/database';
import { startService } from '../../support/service';
import { type Line, matched, statementFile, upload, type UploadedFile } from '../../support/statement-files';
import { until } from '../../support/until';

const entries = 20_000;
/**
 * The tables are empty during the first set of 500 entries, so PostgreSQL may choose any plan for
 * it.
 */
const mostRows = 10 * entries + 500 * 1_000;

const tables = ['entry_sources', 'statement_entries', 'allocations', 'statement_money'];
/** Small tables. A plan that begins with them must not read all lines of a file for each line. */
const smallTables = ['statement_files', 'statements', 'statement_accounts'];

/** Contributions that differ from this one in their ids only. */
async function copiesOf(admin: Pool, id: string): Promise<string[]> {
  const now = Date.now();
  const ids = Array.from({ length: entries }, (_, at) =>
    generateTransactionId(id.slice(0, 4), new Date(now - at * 1_000)),
  );
  await admin.query(
    `INSERT INTO transactions
       (environment_id, transaction_id, user_id, project_id, amount_cents, currency, status, created_by_api_key, created_at)
     SELECT t.environment_id, copy.id, t.user_id, t.project_id, t.amount_cents, t.currency, t.status, t.created_by_api_key,
            t.created_at
       FROM transactions t, unnest($2::text[]) AS copy (id) WHERE t.transaction_id = $1`,
    [id, ids],
  );
  return ids;
}

test('matching reads a constant number of rows for each entry of a file', async () => {
  const database = await createTestDatabase();
  try {
    // The statistics show empty tables, for which PostgreSQL considers sequential scans free.
    await database.admin.query(`VACUUM (ANALYZE) ${[...tables, ...smallTables].join(', ')}`);
    const service = await startService({ database, settings: { SANDBOX_REQUEST_LOG: 'off' } });
    try {
      const company = await service.addCompany();
      const contributions = await createCompletions(service, company);
      const ids = await copiesOf(database.admin, await contributions.create());
      const lines = ids.map((id): Line => ({ cents: 25_50n, id, reference: `R-${id}` }));
      const file = await upload(company.test, statementFile(lines, { from: '2026-11-20' })).expect(202);
      await matched(company.test, (file.body as UploadedFile).file_id, 45_000);
    } finally {
      await service.stop();
    }
    const rowsOf = async (table: string): Promise<number> => {
      const { rows } = await database.admin.query<{ inserted: string; read: string }>(
        `SELECT t.n_tup_ins AS inserted, t.seq_tup_read + COALESCE(t.idx_tup_fetch, 0) AS read
           FROM pg_stat_user_tables t WHERE t.relname = $1`,
        [table],
      );
      return Number(rows[0]!.inserted) === 0 ? 0 : Number(rows[0]!.read);
    };
    // A connection reports its reads when it ends.
    await until('the reads are counted', async () => (await rowsOf('statement_entries')) > 0);
    const read: Record<string, number> = {};
    for (const table of tables) read[table] = await rowsOf(table);
    expect(Object.entries(read).filter(([, rows]) => rows > mostRows)).toEqual([]);
  } finally {
    await database.drop();
  }
});
