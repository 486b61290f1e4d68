import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

import { createTestDatabase, type TestDatabase } from '../../support/database';
import { freePort } from '../../support/program';
import { type Sample, scrape } from '../../support/metrics';
import { until } from '../../support/until';
import { samplesOfExporters } from './exporters';

/** What the rules use of postgres_exporter is what the program exports. */
const program = process.env['POSTGRES_EXPORTER'] ?? 'postgres_exporter';
/** Debian 12 has version 0.11, without these collectors, and there is no standby here. */
const notHere = ['pg_database_wraparound_', 'pg_replication_is_replica', 'pg_stat_replication_'];
const slot = 'alerts_suite';

let database: TestDatabase;
let exporter: ChildProcess;
let samples: Sample[];

beforeAll(async () => {
  database = await createTestDatabase();
  await database.admin.query('SELECT pg_create_physical_replication_slot($1, true)', [slot]);
  const port = await freePort();
  exporter = spawn(program, [`--web.listen-address=127.0.0.1:${port}`], {
    env: { ...process.env, DATA_SOURCE_NAME: `${database.adminUrl}?sslmode=disable` },
    stdio: 'ignore',
  });
  await until('postgres_exporter responds', async () => {
    ({ samples } = await scrape(port).catch(() => ({ samples: [] })));
    return samples.some(({ name, value }) => name === 'pg_up' && value === 1);
  });
});
afterAll(async () => {
  exporter.kill();
  await once(exporter, 'exit');
  await database.admin.query('SELECT pg_drop_replication_slot($1)', [slot]);
  await database.drop();
});

const watched = samplesOfExporters.filter(
  ({ name }) => name.startsWith('pg_') && !notHere.some((start) => name.startsWith(start)),
);

test.each(watched)('postgres_exporter exports $name', ({ name, labels }) => {
  const labelsOf = samples
    .filter((sample) => sample.name === name)
    .map((sample) => Object.keys(sample.labels));
  const ofPrometheus = ['job', 'instance'];
  const asked = Object.keys(labels).filter((label) => !ofPrometheus.includes(label));
  expect(labelsOf).not.toEqual([]);
  expect(labelsOf[0]).toEqual(expect.arrayContaining(asked));
});
