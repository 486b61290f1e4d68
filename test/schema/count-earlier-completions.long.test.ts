import { knex, type Knex } from 'knex';

import { timeoutsOf } from '../../src/config';
import { createKnexConfig } from '../../src/db/migrations/knex-config';
import { migrateDown, migrateUp } from '../../src/db/migrations/migrator';
import { addProject } from '../support/catalogue';
import {
  type ContributionsBeforeFunctions,
  createContributionsBeforeFunctions,
} from '../support/contributions-before-functions';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { makeFiguresDue, calculateFigures } from '../support/project-figures';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';
import { verificationOf } from '../support/verification';

/** The migrations that count completions from before project figures existed. */
const figures = '20261121000920_project_figures';
const uncounted = '20261122004100_uncounted_environments';
const countAll = '20261122004200_count_earlier_completions';
/** Queues earlier events for the feeds. */
const eventQueue = '20261126000000_event_queue';

describe('the migration that adds figures', () => {
  let database: TestDatabase;
  let migrations: Knex;

  beforeAll(async () => {
    database = await createTestDatabase('template1');
    migrations = knex(createKnexConfig(database.ownerUrl));
  });
  afterAll(async () => {
    await migrations.destroy();
    await database.drop();
  });

  test('does not read contributions while it holds the lock on environments', async () => {
    await migrations.migrate.latest();
    const { rows } = await migrations.raw<{ rows: { name: string }[] }>(
      'SELECT name FROM knex_migrations WHERE name >= ? ORDER BY id DESC',
      [figures],
    );
    for (const { name } of rows) await migrations.migrate.down({ name });
    const holder = await database.admin.connect();
    try {
      await holder.query('BEGIN; LOCK TABLE transactions IN ACCESS EXCLUSIVE MODE');
      await migrations.migrate.up({ name: figures });
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
  });
});

describe('the migration that counts earlier completions', () => {
  let service: TestService;
  let companies: TestCompany[];
  let projectIds: number[];
  let beforeFunctions: ContributionsBeforeFunctions;
  const failures: unknown[] = [];
  let completed = 0;

  beforeAll(async () => {
    service = await startService();
    companies = await Promise.all(Array.from({ length: 12 }, (_, index) => service.addCompany(`C ${index}`)));
    projectIds = [await addProject(service.database.admin), await addProject(service.database.admin)];
    beforeFunctions = createContributionsBeforeFunctions(service.database, timeoutsOf(service.config));
  }, 60_000);
  afterAll(async () => {
    await beforeFunctions.stop();
    await service.stop();
  });

  const companyOf = (number: number): TestCompany => companies[number % companies.length]!;
  const kindOf = (number: number) => (number % 3 === 0 ? 'test' : 'production');

  async function contribute(number: number): Promise<void> {
    const client = companyOf(number)[kindOf(number)];
    const path = '/company/integration/contributions';
    const body = {
      project_id: projectIds[number % 2],
      amount: '5.00',
      user_hash: `user-${number % 97}`,
    };
    const created = await client.put(`${path}/create`, body);
    if (created.status !== 201) failures.push(created.status);
    const id = created.body.transaction_id as string;
    const response = await client.put(`${path}/${id}`, { status: 'completed' });
    if (response.status !== 200) failures.push(response.status);
    completed += 1;
  }

  /** Completes like the service of the schema that is being migrated. */
  async function contributeBeforeFunctions(number: number): Promise<void> {
    const contribution = {
      projectId: projectIds[number % 2]!,
      amountCents: 500,
      userHash: `user-${number % 97}`,
    };
    try {
      const { name } = companyOf(number);
      if (!(await beforeFunctions.contribute(name, kindOf(number), contribution))) failures.push(number);
    } catch (error) {
      failures.push(error);
    }
    completed += 1;
  }

  const count = async (sql: string): Promise<number> => {
    const { rows } = await service.database.admin.query<{ count: number }>(sql);
    return rows[0]!.count;
  };
  const left = () => count('SELECT count(*)::int AS count FROM project_figures_uncounted');
  const up = () => migrateUp({ connectionString: service.database.ownerUrl });

  /** Undoes all migrations down to this one. */
  async function undo(migration: string): Promise<void> {
    const { ownerUrl } = service.database;
    while ((await migrateDown({ connectionString: ownerUrl }, 'everything')) !== migration);
  }

  /** Creates a database with completed contributions from before figures existed. */
  async function forgetFigures(): Promise<void> {
    const { admin } = service.database;
    await undo(uncounted);
    await admin.query('DELETE FROM project_figure_changes; DELETE FROM project_figures');
  }

  test('is exact while contributions are completed and counted, even if it is killed and restarted', async () => {
    for (let number = 0; number < 100; number += 1) await contribute(number);
    await forgetFigures();
    const { admin } = service.database;
    // Slows one environment down, so that the migration can be killed in the middle.
    const holder = await admin.connect();
    const state = { isDone: false, isMigrated: false };
    const busy = Array.from({ length: 4 }, async (_, index) => {
      for (let number = 1_000 * (index + 1); !state.isDone; number += 1) {
        await (state.isMigrated ? contribute(number) : contributeBeforeFunctions(number));
      }
    });
    const adding = (async () => {
      while (!state.isDone) {
        await makeFiguresDue(service.database);
        await calculateFigures(service.database, 2).catch(() => undefined);
      }
    })();
    try {
      await until('contributions are completed', () => completed > 120, 20_000);
      const blocked = await count('SELECT max(environment_id) - 10 AS count FROM environments');
      await holder.query('BEGIN');
      const running = up();
      running.catch(() => undefined);
      await until(
        'environments are to be counted',
        async () =>
          (await count(
            `SELECT count(*)::int AS count FROM pg_class WHERE relname = 'project_figures_uncounted'`,
          )) > 0,
      );
      await holder.query('SELECT FROM project_figures_uncounted WHERE environment_id = $1 FOR UPDATE', [
        blocked,
      ]);
      await until('it has counted some', async () => (await left()) <= 11, 20_000);
      await admin.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = 'contribution-service migrations'`,
      );
      await expect(running).rejects.toThrow();
      await holder.query('ROLLBACK');
      expect(await left()).toBeGreaterThan(0);
      await until('more are completed', () => completed > 200, 20_000);
      expect((await up())[0]).toBe(countAll);
      expect(await left()).toBe(0);
      state.isMigrated = true;
      const completedBefore = completed;
      await until("today's service completes more", () => completed > completedBefore + 60, 20_000);
    } finally {
      state.isDone = true;
      holder.release();
      await Promise.all([...busy, adding]);
    }
    expect(failures).toEqual([]);
    // A service from before the functions queues no events. The feeds start after it has stopped.
    await undo(eventQueue);
    await up();
    expect((await verificationOf(service.database.ownerUrl)).violationCount).toBe(0);
    await makeFiguresDue(service.database);
    await calculateFigures(service.database);
    expect(await count('SELECT count(*)::int AS count FROM project_figure_changes')).toBe(0);
    expect(await count('SELECT (sum(raised_cents) / 500)::int AS count FROM project_figures')).toBe(
      completed,
    );
    expect((await verificationOf(service.database.ownerUrl)).violationCount).toBe(0);
  }, 120_000);

  test('recounts from any previous figures when it is undone and applied again', async () => {
    const { admin, ownerUrl } = service.database;
    await undo(uncounted);
    await admin.query('UPDATE project_figures SET raised_cents = raised_cents + 1');
    await up();
    expect((await verificationOf(ownerUrl)).violationCount).toBe(0);
  }, 60_000);
});
