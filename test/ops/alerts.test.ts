import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { parse } from 'yaml';

import { errorCodes } from '../../src/shared/errors';
import type { MetricsServer } from '../../src/metrics/metrics-server';
import { watchProcess } from '../../src/metrics/process-metrics';
import { addProject } from '../support/catalogue';
import { type Sample, scrape, serveMetricsOf } from '../support/metrics';
import { startService, type TestService } from '../support/service';
import { parseQuery } from './promql';

/** The rules and the dashboard ask only for what a service that has served exports, and each rule has its entry. */
const root = path.join(__dirname, '..', '..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string };
}

const rulesFile = 'ops/prometheus/alerts.yml';
const rules = (parse(read(rulesFile)) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);
const dashboard = JSON.parse(read('ops/grafana/contribution-service.json')) as {
  panels: { id: number; title: string; targets?: { expr: string; legendFormat: string }[] }[];
};
const panelQueries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({ where: `panel ${title}`, expr, shown: legendFormat })),
);
const queries = [
  ...rules.map(({ alert, expr, annotations }) => ({ where: alert, expr, shown: annotations.summary })),
  ...panelQueries,
];

/** Prometheus itself makes these. */
const ownMetrics = new Set(['up']);
const ownLabels = new Set(['instance', 'job']);

let service: TestService;
let metrics: MetricsServer;
let samples: Sample[];

beforeAll(async () => {
  service = await startService({ settings: { DATABASE_LOCK_TIMEOUT_MS: '100' } });
  metrics = await serveMetricsOf(service);
  watchProcess(service.container.metrics.registry);
  const company = await service.addCompany();
  const projectId = await addProject(service.database.admin);
  const base = '/company/integration';
  const body = { project_id: projectId, amount: '1.00', user_hash: 'u' };
  await company.test.put(`${base}/contributions/create`, body).expect(201);
  await service.anonymous.get(`${base}/get/projects`).expect(401);
  await fetch(`http://127.0.0.1:${service.port}/`, { headers: { 'X-Large': 'x'.repeat(20_000) } });
  // A failed statement, because failures have no label before the first.
  const holder = await service.database.admin.connect();
  await holder.query('BEGIN; LOCK TABLE projects IN ACCESS EXCLUSIVE MODE');
  await company.test.get(`${base}/get/project/${projectId}`).expect(503);
  await holder.query('ROLLBACK');
  holder.release();
  ({ samples } = await scrape(metrics.port));
}, 60_000);
afterAll(async () => {
  await metrics.stop();
  await service.stop();
});

const labelsOf = (metric: string): Set<string> =>
  new Set(samples.filter(({ name }) => name === metric).flatMap(({ labels }) => Object.keys(labels)));

/** Values that a service exports only when it happens, with where they are fixed. */
const possibleValues: Readonly<Record<string, readonly string[]>> = {
  error_code: ['none', ...errorCodes],
  reason: ['constraint', 'timeout', 'unavailable', 'not_replicated', 'other'],
};

test('there are rules and panels', () => {
  expect(rules.length).toBeGreaterThan(15);
  expect(panelQueries.length).toBeGreaterThan(20);
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
});

test.each(queries)('$where asks for metrics and labels that are exported', ({ expr, shown }) => {
  const { selections, groupings } = parseQuery(expr);
  const known = new Set([...ownLabels, ...selections.flatMap(({ metric }) => [...labelsOf(metric)])]);
  for (const { metric, matchers } of selections) {
    if (ownMetrics.has(metric)) continue;
    const ofMetric = samples.filter(({ name }) => name === metric);
    expect({ metric, samples: ofMetric.length }).not.toEqual({ metric, samples: 0 });
    for (const { label, value, isExact } of matchers) {
      expect([...labelsOf(metric)]).toContain(label);
      const values = [...ofMetric.map(({ labels }) => labels[label] ?? ''), ...(possibleValues[label] ?? [])];
      // Of a pattern that lists values each must be one; others, such as 5.., name none.
      const named = isExact ? [value] : /^[\w|]+$/.test(value) ? value.split('|') : [];
      expect(named.filter((one) => !values.includes(one))).toEqual([]);
    }
  }
  expect(groupings.filter((label) => !known.has(label))).toEqual([]);
  const inText = [...shown.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}/g)].map(([, label = '']) => label);
  expect(inText.filter((label) => !known.has(label))).toEqual([]);
});

test('each rule says what it is about and how urgent', () => {
  for (const { labels, annotations } of rules) {
    expect(['page', 'ticket']).toContain(labels.severity);
    expect(annotations.summary.length).toBeGreaterThan(20);
  }
});

test('each rule has its entry for the one who is woken, and each entry its rule', () => {
  const entries = read('docs/operations-alerts.md').split(/^## /m).slice(1);
  expect(entries.map((entry) => entry.split('\n')[0]).sort()).toEqual(rules.map(({ alert }) => alert).sort());
  for (const entry of entries) {
    for (const part of ['**Means.**', '**Look.**', '**Do.**']) expect(entry).toContain(part);
  }
});

function hasPromtool(): boolean {
  try {
    execFileSync('promtool', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const withPromtool = hasPromtool() ? test : test.skip;
withPromtool('promtool accepts the rules (skipped where the package prometheus is not installed)', () => {
  expect(execFileSync('promtool', ['check', 'rules', rulesFile], { cwd: root, encoding: 'utf8' })).toContain(
    'SUCCESS',
  );
});
