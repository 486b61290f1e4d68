import { demoProjects } from '../../../seeds/demo/catalogue';
import { listContracts } from '../../../src/contracts';
import { refusalReasons, queryFailures } from '../../../src/db/pool/observer';
import type { MetricsServer } from '../../../src/metrics/metrics-server';
import { trafficClasses } from '../../../src/shared/traffic-classes';
import { disputeKinds } from '../../../src/operator/contribution-lookup/dispute-kinds';
import { addProject } from '../../support/catalogue';
import { longTest } from '../../support/full-run';
import { type Sample, scrape, serveMetricsOf } from '../../support/metrics';
import { startService, type TestService } from '../../support/service';
import { errorCodes } from '../../support/errors';

/**
 * The values of every label are bounded, so the number of series does not depend on what callers
 * send.
 */
const base = '/company/integration';
let service: TestService;
let metrics: MetricsServer;

beforeAll(async () => {
  service = await startService();
  metrics = await serveMetricsOf(service);
});
afterAll(async () => {
  await metrics.stop();
  await service.stop();
});

/** Metrics that count requests. */
async function ownSamples(): Promise<Sample[]> {
  const { samples } = await scrape(metrics.port);
  return samples.filter(({ name }) => name.startsWith('contribution_'));
}

const seriesOf = (samples: readonly Sample[]): string[] =>
  samples
    .map(({ name, labels }) => JSON.stringify([name, labels]))
    // Leaves out buckets, which depend on durations, and statements, because some run at intervals.
    // The names of statements are in the source.
    .filter((series) => !series.includes('_bucket') && !series.includes('"statement"'))
    .sort();

/** One request for each kind of input, with different values every time. */
async function sendAllKinds(turn: number): Promise<void> {
  const company = await service.addCompany(`Company of turn ${turn}`);
  const projectId = await addProject(service.database.admin);
  const name = `turn-${turn}`;
  const body = { project_id: projectId, amount: `${turn}.25`, user_hash: name, name };
  const created = await company.test.put(`${base}/contributions/create`, body).set('Idempotency-Key', name);
  expect(created.status).toBe(201);
  const { transaction_id: id } = created.body as { transaction_id: string };
  await company.test.put(`${base}/contributions/${id}`, { status: 'completed' }).expect(200);
  await company.test.get(`${base}/contributions/${id}`).set('X-Request-Id', name).expect(200);
  await company.test.get(`${base}/contributions?user_hash=${name}`).expect(200);
  await company.test.get(`${base}/projects-stories?user_hash=${name}`).expect(200);
  await company.test.get(`${base}/get/project/${projectId}`).expect(200);
  await company.test.get(`${base}/get/project/${10_000 + turn}`).expect(404);
  await company.test.get(`${base}/get/projects?limit=${name}`).expect(400);
  await service.anonymous.raw('get', `/${name}`).expect(404);
  await service.anonymous.raw('get', `/health/${name}`).expect(404);
  await service.anonymous.raw('get', '/docs').expect(200);
  await service.anonymous.raw('get', `/docs/${name}`).expect(404);
  const { category, slug } = demoProjects[turn]!;
  await service.anonymous.raw('get', `/demo/pictures/${category}/${slug}.svg`).expect(200);
  await service.anonymous.raw('get', `${base}/get/projects`).set('API-Key', `cpk_${name}`).expect(401);
  const method = `TURN${turn}`.replace(/\d/g, (digit) => 'ABCDEFGHIJ'[Number(digit)] ?? '');
  // Node's parser accepts known methods only, and these two are among them.
  for (const known of [method, turn % 2 === 0 ? 'PROPFIND' : 'MKCOL']) {
    await fetch(`http://127.0.0.1:${service.port}/`, { method: known }).catch(() => undefined);
  }
}

longTest('more companies, keys, users, ids, paths and methods add no series', async () => {
  await sendAllKinds(1);
  await sendAllKinds(2);
  const before = seriesOf(await ownSamples());
  for (let turn = 3; turn < 8; turn += 1) await sendAllKinds(turn);
  expect(seriesOf(await ownSamples())).toEqual(before);
});

test('every label value is in a fixed list', async () => {
  const routes = listContracts({ minimumCents: 1n, maximumCents: 100n }).map(({ path }) => path);
  const lists: Readonly<Record<string, readonly string[] | RegExp>> = {
    class: trafficClasses,
    method: ['GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS', 'other'],
    // Routes without a contract use the pattern of their router.
    route: [...routes, 'unknown', '/docs', '/demo/pictures/:category/:slug.svg'],
    status: /^([1-5]\d\d|unanswered)$/,
    error_code: ['none', ...errorCodes],
    policy: ['requests', 'completions', 'batches', 'failures_of_pair', 'failures_of_address'],
    environment_kind: ['test', 'production'],
    age: [
      ...['under_1_hour', 'over_1_hour', 'overdue'],
      ...['under_1_day', 'over_1_day'],
      ...['7_to_14_days', '14_to_30_days', 'over_30_days'],
    ],
    kind: Object.values(disputeKinds).map(({ name }) => name),
    successor: ['yes', 'no'],
    source: ['memory', 'database'],
    state: ['idle', 'busy', 'late_reply'],
    version: /^\d+\.\d+\.\d+$/,
    // Statement names in the source; test/unit/queries.test.ts checks that they are unique.
    statement: /^[a-z]+(_[a-z]+)*$/,
    reason: [...refusalReasons, ...queryFailures],
    outcome: /^[a-z]+(_[a-z]+)*$/,
    le: /^(\d+(\.\d+)?|\+Inf)$/,
  };
  const unlisted = (await ownSamples()).flatMap(({ name, labels }) =>
    Object.entries(labels)
      .filter(([label, value]) => {
        const list = lists[label];
        return list === undefined || !(list instanceof RegExp ? list.test(value) : list.includes(value));
      })
      .map(([label, value]) => `${name} ${label}=${value}`),
  );
  expect(unlisted).toEqual([]);
});
