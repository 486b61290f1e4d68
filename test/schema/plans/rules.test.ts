import { Client } from 'pg';

import { sessionConfig } from '../../../src/db/session-settings';
import { addProject } from '../../support/catalogue';
import { askAsFile } from '../../support/completion-files';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { relayAll } from '../../support/feed';
import { sendReturn } from '../../support/returns';
import { startService } from '../../support/service';
import { until } from '../../support/until';

/**
 * PostgreSQL replaces each call of a rule by its expression. Otherwise, a list would call it for
 * each row, and no index could serve it.
 */
const contributions = '/company/integration/contributions';

/** Deletes the rows of the environment with contributions, on a connection that counts calls. */
async function purgeContributions({ adminUrl }: TestDatabase): Promise<void> {
  const client = new Client(sessionConfig({ connectionString: adminUrl }));
  await client.connect();
  try {
    const { rows } = await client.query<{ id: number }>(
      `UPDATE environments SET retired_at = now() - interval '8 days'
        WHERE environment_id = (SELECT min(environment_id) FROM transactions) RETURNING environment_id AS id`,
    );
    const rowsOf = async () =>
      (
        await client.query<{ count: number }>('SELECT purge_retired_environment($1, 100) AS count', [
          rows[0]?.id,
        ])
      ).rows[0]?.count;
    while ((await rowsOf()) !== 0);
  } finally {
    await client.end();
  }
}

test('the rules that functions and statements share are inlined everywhere', async () => {
  const database = await createTestDatabase();
  // Counts the calls of functions. An inlined one is never called.
  await database.admin.query(
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET track_functions = ''all''', current_database()); END $$`,
  );
  const service = await startService({ database });
  const [company, bank] = [await service.addCompany(), await service.addCompany()];
  await service.companies.linkBank('test', company.name, bank.name);
  const projectId = await addProject(database.admin);
  const create = async (): Promise<string> => {
    const body = { project_id: projectId, amount: '5.00', user_hash: 'a-user' };
    const response = await company.test.put(`${contributions}/create`, body).expect(201);
    return (response.body as { transaction_id: string }).transaction_id;
  };
  const [one, inSet] = [await create(), await create()];
  // More often than PostgreSQL plans a prepared statement with the values of its parameters.
  for (let time = 1; time <= 7; time += 1) {
    for (const client of [company.test, bank.test]) {
      await client.get(contributions).expect(200);
      await client.get(`${contributions}?status=pending`).expect(200);
      await client.get(`${contributions}/${one}`).expect(200);
      await client.get(`${contributions}/summary?from=2026-11-01&to=2026-12-01&basis=created`).expect(200);
    }
    await bank.test
      .put(`${contributions}/${one}`, { status: 'completed', bank_reference: `R${time}` })
      .expect(200);
    await sendReturn(bank.test, one, { amount: '0.01' }).expect(201);
  }
  await askAsFile(bank.test, inSet, '5.00');
  await relayAll(database.admin);
  await service.stop();
  await purgeContributions(database);

  const calls = async () =>
    (
      await database.admin.query<{ name: string }>('SELECT funcname AS name FROM pg_stat_user_functions')
    ).rows.map(({ name }) => name);
  try {
    await until('the ended sessions have reported their calls', async () =>
      (await calls()).includes('complete_contribution_of'),
    );
    const called = await calls();
    expect(called).toEqual(
      expect.arrayContaining([
        'complete_contribution',
        'complete_contribution_of',
        'create_contribution',
        'guard_transactions',
        'purge_retired_environment',
      ]),
    );
    expect(called).not.toContain('bank_sees');
    expect(called).not.toContain('is_purgeable');
    expect(called).not.toContain('key_pair_is_live');
  } finally {
    await database.drop();
  }
});
