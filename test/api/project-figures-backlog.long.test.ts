import { createServiceDatabase } from '../../src/startup/service-database';
import { createProjectFiguresStore } from '../../src/core/project-figures/project-figures.store';
import { addProject } from '../support/catalogue';
import { scrape, serveMetricsOf } from '../support/metrics';
import { makeFiguresDue } from '../support/project-figures';
import { startService, type TestService } from '../support/service';
import { until } from '../support/until';

/** A backlog of a million changes, with the usual statement timeout. */
const backlog = 1_000_000;
const settings = { DATABASE_STATEMENT_TIMEOUT_MS: '2000', DATABASE_ANSWER_TIMEOUT_MS: '5000' };

let service: TestService;
let projectIds: number[];

beforeAll(async () => {
  service = await startService({ settings });
  await service.addCompany();
  await service.addCompany();
  projectIds = [await addProject(service.database.admin), await addProject(service.database.admin)];
  // Keeps the service's own job from running.
  await service.database.admin.query(`UPDATE project_figures_turn SET taken_at = 'infinity'`);
  await service.database.admin.query(
    `INSERT INTO project_figure_changes (environment_id, project_id, amount_cents, supporters, recorded_at)
     SELECT (SELECT array_agg(environment_id) FROM environments WHERE environment_id > 0)[1 + n % 4],
            (CASE n % 2 WHEN 0 THEN $1 ELSE $2 END)::integer, 1, n % 2, now() - interval '1 hour'
       FROM generate_series(1, $3) AS n`,
    [...projectIds, backlog],
  );
  await service.database.admin.query('ANALYZE project_figure_changes');
});
afterAll(() => service.stop());

async function totals(): Promise<Record<string, number>> {
  const { rows } = await service.database.admin.query<Record<string, number>>(
    `SELECT (SELECT count(*)::int FROM project_figure_changes) AS waiting,
            (SELECT COALESCE(sum(raised_cents), 0)::int FROM project_figures) AS raised,
            (SELECT COALESCE(sum(supporters_count), 0)::int FROM project_figures) AS supporters`,
  );
  return rows[0]!;
}

test('a backlog is reported with its age, shrinks with each of several concurrent runs, and is counted exactly', async () => {
  const metrics = await serveMetricsOf(service);
  try {
    // The service reads once a minute. On a slow machine, the first scrape does not wait for it.
    const isReported = async (): Promise<boolean> => {
      const { value } = await scrape(metrics.port);
      return value('contribution_project_figures_oldest_change_age_seconds') > 3_590;
    };
    await until('the age is reported', isReported, 90_000);
  } finally {
    await metrics.stop();
  }
  const databases = [1, 2, 3].map(() =>
    createServiceDatabase(service.config, service.database.url, service.logger),
  );
  const stores = databases.map(createProjectFiguresStore);
  try {
    for (let { waiting } = await totals(); waiting! > 0;) {
      await makeFiguresDue(service.database);
      await Promise.all(stores.map((store) => store.addUp()));
      const after = await totals();
      expect(after['waiting']).toBeLessThan(waiting!);
      expect(after['waiting']! + after['raised']!).toBe(backlog);
      waiting = after['waiting'];
    }
    expect(await totals()).toEqual({ waiting: 0, raised: backlog, supporters: backlog / 2 });
    expect(await stores[0]!.oldestChangeAgeSeconds()).toBe(0);
  } finally {
    await Promise.all(databases.map((database) => database.close()));
  }
});

test('a run ends when another process has taken its changes, even halfway', async () => {
  const database = createServiceDatabase(service.config, service.database.url, service.logger);
  await service.database.admin.query(
    `INSERT INTO project_figure_changes (environment_id, project_id, amount_cents, supporters)
     SELECT (SELECT min(environment_id) FROM environments WHERE environment_id > 0), $1, 1, 0 FROM generate_series(1, 30000)`,
    [projectIds[0]],
  );
  await makeFiguresDue(service.database);
  let batches = 0;
  const store = createProjectFiguresStore({
    async run(statement, values) {
      batches += 1;
      if (batches === 2)
        await service.database.admin.query('UPDATE project_figures_turn SET taken_at = now()');
      return database.run(statement, values);
    },
  });
  try {
    await store.addUp();
    expect(batches).toBe(2);
    expect((await totals())['waiting']).toBe(28_000);
  } finally {
    await database.close();
  }
});
