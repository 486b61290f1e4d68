import { connect } from 'node:net';

import { watchProcess } from '../../../src/metrics/process-metrics';
import { addProject } from '../../support/catalogue';
import type { Client } from '../../support/client';
import { type Sample, type Scrape, scrape, serveMetricsOf } from '../../support/metrics';
import { startService, type TestService } from '../../support/service';
import { until } from '../../support/until';
import { parseQuery } from './promql';
import { errorCodes } from '../../support/errors';

/** The metrics that a running service exports, at two times. */
export interface Exported {
  service: TestService;
  /** After one contribution, before any error. */
  fresh: Sample[];
  /** After requests that were rejected, failed, abandoned or not valid HTTP. */
  later: Sample[];
  stop: () => Promise<void>;
}

/** Starts a service and sends it requests, successful ones first. */
export async function exportedByService(): Promise<Exported> {
  const service = await startService({ settings: { DATABASE_LOCK_TIMEOUT_MS: '100' } });
  const metrics = await serveMetricsOf(service);
  watchProcess(service.container.metrics.registry);
  const company = await service.addCompany();
  const projectId = await addProject(service.database.admin);
  const base = '/company/integration';
  const body = { project_id: projectId, amount: '1.00', user_hash: 'u' };
  const created = await company.test.put(`${base}/contributions/create`, body).expect(201);
  const { transaction_id: id } = created.body as { transaction_id: string };
  await company.test.put(`${base}/contributions/${id}`, { status: 'completed' }).expect(200);
  const { samples: fresh } = await scrape(metrics.port);

  await service.anonymous.get(`${base}/get/projects`).expect(401);
  await fetch(`http://127.0.0.1:${service.port}/`, { headers: { 'X-Large': 'x'.repeat(20_000) } });
  const holder = await service.database.admin.connect();
  await holder.query('BEGIN; LOCK TABLE projects IN ACCESS EXCLUSIVE MODE');
  await company.test.get(`${base}/get/project/${projectId}`).expect(503);
  await holder.query('ROLLBACK');
  holder.release();
  await disconnectMidRequest(service, company.test, () => scrape(metrics.port));
  await waitForGarbageCollection(() => scrape(metrics.port));
  const { samples: later } = await scrape(metrics.port);
  return {
    service,
    fresh,
    later,
    async stop() {
      await metrics.stop();
      await service.stop();
    },
  };
}

/** A client that announces more than it sends, and disconnects. */
async function disconnectMidRequest(
  service: TestService,
  { apiKey = '', apiSecret = '' }: Client,
  read: () => Promise<Scrape>,
): Promise<void> {
  const socket = connect(service.port, '127.0.0.1');
  socket.write(
    'PUT /company/integration/contributions/create HTTP/1.1\r\nHost: api.test\r\nContent-Type: application/json\r\n' +
      `Content-Length: 100\r\nAPI-Key: ${apiKey}\r\nAPI-Secret: ${apiSecret}\r\n\r\n{`,
  );
  await until(
    'the request begins',
    async () => (await read()).value('contribution_http_requests_in_progress') > 0,
  );
  socket.destroy();
  await until('the request is over', async () =>
    (await read()).samples.some(({ labels }) => labels['status'] === 'unanswered'),
  );
}

/** Node reports garbage collections later, and only those since metrics collection started. */
async function waitForGarbageCollection(read: () => Promise<Scrape>): Promise<void> {
  await until('Node has told of collecting memory', async () => {
    expect(Array.from({ length: 500_000 }, (_, index) => ({ index }))).toHaveLength(500_000);
    return (await read()).samples.some(({ name }) => name === 'nodejs_gc_duration_seconds_sum');
  });
}

/** Series that Prometheus itself generates. */
const ownMetrics = new Set(['up']);
const ownLabels = ['instance', 'job'];

/** Label values that appear only after an event, with the files that define them. */
const possibleValues: Readonly<Record<string, readonly string[]>> = { error_code: ['none', ...errorCodes] };

/**
 * Each value in a pattern that lists values must exist. Other patterns, such as 5.., name no value.
 */
export function valuesNamed({ value, isExact }: { value: string; isExact: boolean }): string[] {
  if (isExact) return [value];
  return /^[\w|]+$/.test(value) ? value.split('|') : [];
}

/** The labels that a query may use: those of its metrics, and Prometheus' own. */
export function availableLabels(expr: string, samples: readonly Sample[]): Set<string> {
  const metrics = new Set(parseQuery(expr).selections.map(({ metric }) => metric));
  const asked = samples.filter(({ name }) => metrics.has(name));
  return new Set([...ownLabels, ...asked.flatMap(({ labels }) => Object.keys(labels))]);
}

/**
 * Metrics, labels and label values of a query that do not exist.
 *
 * @throws Error when it is not valid PromQL
 */
export function missingFrom(expr: string, samples: readonly Sample[]): string[] {
  const problems: string[] = [];
  const { selections, groupings } = parseQuery(expr);
  for (const { metric, matchers } of selections) {
    if (ownMetrics.has(metric)) continue;
    const ofMetric = samples.filter(({ name }) => name === metric);
    if (ofMetric.length === 0) problems.push(`no metric ${metric}`);
    for (const { label, value, isExact } of matchers.filter((one) => !ownLabels.includes(one.label))) {
      const values = [...ofMetric.flatMap(({ labels }) => labels[label] ?? [])];
      if (values.length === 0) problems.push(`no label ${label} of ${metric}`);
      const possible = [...values, ...(possibleValues[label] ?? [])];
      for (const named of valuesNamed({ value, isExact })) {
        if (!possible.includes(named)) problems.push(`no ${label}="${named}" of ${metric}`);
      }
    }
  }
  const known = availableLabels(expr, samples);
  for (const label of groupings) if (!known.has(label)) problems.push(`no label ${label} to group by`);
  return problems;
}
