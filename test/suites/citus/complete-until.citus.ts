import { Client } from 'pg';

import { sessionConfig } from '../../../src/db/session-settings';
import { addProject } from '../../support/catalogue';
import { createCompletions } from '../../support/completions';
import { environmentOf } from '../../support/environment';
import { startService, type TestCompany, type TestService } from '../../support/service';

/**
 * A commit on a worker can outlive the session of the coordinator, for example while the worker's
 * disk stalls. A reader who continues from `complete_until` finds the contribution even then.
 */
let service: TestService;
let company: TestCompany;
let worker: Client;
let count = 0;
const contributions = '/company/integration/contributions';

interface Listed {
  data: { transaction_id: string; created_at: string }[];
  complete_until: string;
}

beforeAll(async () => {
  service = await startService();
  company = await service.addCompany();
  const { rows } = await service.database.admin.query<{ port: number }>(
    `SELECT n.nodeport AS port FROM pg_dist_placement p JOIN pg_dist_node n ON n.groupid = p.groupid
      WHERE p.shardid = get_shard_id_for_distribution_column('users', $1::integer)`,
    [await environmentOf(service.database.admin, company.name)],
  );
  const url = new URL(service.database.url);
  url.port = String(rows[0]!.port);
  worker = new Client(sessionConfig({ connectionString: url.href }));
  await worker.connect();
});
afterAll(async () => {
  await worker.end();
  await service.stop();
});

/** Creates on the worker, without a session of the coordinator, and does not commit. */
async function createOnWorker(): Promise<string> {
  const { admin } = service.database;
  const environmentId = await environmentOf(admin, company.name);
  const tag = (
    await admin.query<{ tag: string }>(
      'SELECT transaction_tag AS tag FROM environments WHERE environment_id = $1',
      [environmentId],
    )
  ).rows[0]!.tag;
  const id = `${tag}${String((count += 1)).padStart(11, '0')}`;
  await worker.query('BEGIN');
  const { rows } = await worker.query<{ created_id: string | null }>(
    `SELECT created_id FROM create_contribution($1, $2, $3, 2550, 'user', NULL, NULL, $4, gen_random_uuid())`,
    [environmentId, id, await addProject(admin), company.test.apiKey],
  );
  expect(rows).toEqual([{ created_id: id }]);
  return id;
}

test.each(['company', 'bank'])('complete_until of a %s is before an uncommitted create', async (reader) => {
  const bank = await service.addCompany();
  await (await createCompletions(service, company)).link(bank);
  const { test: client } = reader === 'bank' ? bank : company;
  const list = async (query: string): Promise<Listed> =>
    (await client.get(`${contributions}?${query}`).expect(200)).body as Listed;
  const id = await createOnWorker();
  const { complete_until: completeUntil, data } = await list('created_from=2020-01-01T00:00:00Z');
  expect(data.map((one) => one.transaction_id)).not.toContain(id);
  await worker.query('COMMIT');
  const next = await list(`created_from=${completeUntil}`);
  expect(next.data.map((one) => one.transaction_id)).toContain(id);
});
