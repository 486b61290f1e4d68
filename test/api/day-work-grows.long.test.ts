import { addProject } from '../support/catalogue';
import { compareAll } from '../support/compare-all';
import { relayAll } from '../support/feed';
import { longTest } from '../support/full-run';
import { addManyContributions } from '../support/many-contributions';
import { readingEnded, statementsPath, type UploadedFile } from '../support/statement-files';
import { setUpStatements } from '../support/statement-setup';
import { until } from '../support/until';

/** The work of a file and of its events must grow with their number, not with its square. */
const setup = setUpStatements();

const lineCount = 20_000;
/** Of each table, for each line. The relay reads each event with those of its contribution. */
const mostRowsRead = (table: string): number => (table === 'events' ? 24 : 10);

/** Adds contributions of the company, with their events. */
async function addContributions(): Promise<string[]> {
  const { admin } = setup.service.database;
  const { rows } = await admin.query<{ environmentId: number; tag: string }>(
    `SELECT e.environment_id AS "environmentId", e.transaction_tag AS tag
       FROM environments e JOIN companies c USING (company_id) WHERE e.kind = 'test' AND c.name = $1`,
    [setup.company.name],
  );
  return addManyContributions(admin, { ...rows[0]!, projectId: await addProject(admin) }, lineCount);
}

/** A BAI2 statement of one day that pays them. */
const statementOf = (ids: readonly string[]): string =>
  [
    '01,BANK,CUSTOMER,261102,0600,1,,,2/',
    '02,CUSTOMER,BANK,1,261102,,USD,2/',
    `03,990000003000,USD,010,0,,,015,${ids.length * 1_000},,/`,
    ...ids.map((id) => `16,142,1000,Z,R${id},${id},/`),
    `49,${ids.length * 2_000},${ids.length + 2}/`,
    `98,${ids.length * 2_000},1,${ids.length + 4}/`,
    `99,${ids.length * 2_000},1,${ids.length + 6}/`,
    '',
  ].join('\n');

/** Ends the connections of the service: a server process counts its reads when it ends. */
async function endConnections(): Promise<void> {
  const { admin } = setup.service.database;
  const ended = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                  WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  await until('the connections of before have ended', async () => (await admin.query(ended)).rowCount === 0);
}

/** The rows that were read of each table. */
async function rowsRead(): Promise<Map<string, number>> {
  const { admin } = setup.service.database;
  await admin.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await admin.query<{ name: string; read: string }>(
    `SELECT relname AS name, seq_tup_read + COALESCE(idx_tup_fetch, 0) AS read FROM pg_stat_user_tables`,
  );
  return new Map(rows.map(({ name, read }) => [name, Number(read)]));
}

longTest(
  'comparing a day reads a constant number of rows per line and event, also without statistics',
  async () => {
    const { admin } = setup.service.database;
    const { rows: tables } = await admin.query<{ name: string }>(
      `SELECT relname AS name FROM pg_stat_user_tables WHERE relname NOT LIKE 'knex%'`,
    );
    for (const { name } of tables) await admin.query(`ALTER TABLE ${name} SET (autovacuum_enabled = off)`);
    const ids = await addContributions();
    await endConnections();
    const before = await rowsRead();
    await relayAll(admin);
    const response = await setup.company.test
      .post(statementsPath)
      .set('Content-Type', 'text/plain')
      .send(statementOf(ids))
      .expect(202);
    const file = await readingEnded(setup.company.test, (response.body as UploadedFile).file_id);
    expect(file).toMatchObject({ state: 'read', entries: lineCount });
    await compareAll(setup.service);
    const { rows: confirmed } = await admin.query(
      'SELECT count(*)::integer FROM contribution_money WHERE gross_cents = 1000',
    );
    expect(confirmed).toEqual([{ count: lineCount }]);
    await endConnections();
    const read = [...(await rowsRead())].map(
      ([name, rows]) => [name, Math.ceil((rows - (before.get(name) ?? 0)) / lineCount)] as const,
    );
    expect(read.filter(([name, rows]) => rows > mostRowsRead(name))).toEqual([]);
  },
  240_000,
);
