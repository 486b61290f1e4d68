import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

import { createOperatorDatabase } from '../../src/db/operator-database';
import { createOperations } from '../../src/operator/commands/operations';
import { addProject } from '../support/catalogue';
import { createTestDatabase, type TestDatabase } from '../support/database';
import {
  build,
  killLeftoverProcesses,
  runProcess,
  RunningService,
  temporaryFolder,
} from '../support/program';
import { until } from '../support/until';
import { longTest, sample } from '../support/full-run';
import { scopes } from '../support/scopes';

/**
 * The spans that an OpenTelemetry collector receives from the built program, and the data that they
 * never contain.
 */
interface ReceivedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
}

const pepper = 'a-pepper-for-the-tests-of-the-traces-';
const canary = { hash: 'canary-hash-for-traces', name: 'Canarytrace', state: 'canary-state' };
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const bodies: string[] = [];
const tokens = new Set<string | string[] | undefined>();
const collector = http.createServer((req, res) => {
  tokens.add(req.headers['x-token']);
  let body = '';
  req.on('data', (chunk: Buffer) => (body += chunk.toString()));
  req.on('end', () => {
    bodies.push(`${req.url ?? ''} ${body}`);
    res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
});
let database: TestDatabase;
let folder: ReturnType<typeof temporaryFolder>;
let headers: Record<string, string>;
let projectId: number;

beforeAll(async () => {
  await build();
  database = await createTestDatabase();
  folder = temporaryFolder();
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  projectId = await addProject(database.admin);
  const operator = createOperatorDatabase(database.ownerUrl);
  const { companies, keyPairs } = createOperations(operator, new Map([[1, Buffer.from(pepper, 'utf8')]]));
  await companies.create('A company');
  const pair = await keyPairs.issue({
    company: 'A company',
    kind: 'test',
    scopes,
    expiresAt: undefined,
  });
  await operator.close();
  headers = { 'API-Key': pair.apiKey, 'API-Secret': pair.apiSecret, 'Content-Type': 'application/json' };
});
afterAll(async () => {
  await killLeftoverProcesses();
  collector.close();
  await database.drop();
  folder.remove();
});

const spans = (): ReceivedSpan[] =>
  bodies.flatMap((body) =>
    (
      JSON.parse(body.slice(body.indexOf('{'))) as {
        resourceSpans: { scopeSpans: { spans: ReceivedSpan[] }[] }[];
      }
    ).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  );

const attribute = (span: ReceivedSpan, name: string): string | undefined =>
  span.attributes.find(({ key }) => key === name)?.value.stringValue;

test('a request and its statement arrive as one trace, without a user, a secret or a value', async () => {
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const service = await RunningService.start({
    DATABASE_URL: database.url,
    ALLOW_PLAIN_HTTP: 'on',
    CREDENTIAL_PEPPERS: `1:${pepper}`,
    DATA_DIRECTORY: folder.path,
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-token=of-the-collector',
    OTEL_SERVICE_NAME: 'named-by-the-operator',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging',
  });
  expect(service.output).toContain('"msg":"sending traces"');
  const base = `${service.baseUrl}/company/integration`;
  const created = await fetch(`${base}/contributions/create`, {
    method: 'PUT',
    headers: {
      ...headers,
      'X-Request-Id': 'request-of-a-trace',
      traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
      tracestate: `vendor=${canary.state}`,
      baggage: `user=${canary.hash}`,
    },
    body: JSON.stringify({
      project_id: projectId,
      amount: '25.00',
      user_hash: canary.hash,
      name: canary.name,
    }),
  });
  expect(created.status).toBe(201);
  const { transaction_id: id } = (await created.json()) as { transaction_id: string };
  await fetch(`${base}/projects-stories?user_hash=${canary.hash}`, { headers });
  await fetch(`${base}/contributions/${id}`, { headers });
  await fetch(`${service.baseUrl}/${canary.hash}?x=${canary.hash}`);

  const isCreate = (span: ReceivedSpan): boolean =>
    attribute(span, 'contribution.request_id') === 'request-of-a-trace';
  await until('the span of the request arrives', () => spans().some(isCreate));
  const request = spans().find(isCreate)!;
  const route = '/company/integration/contributions/create';
  expect(request.name).toBe(`PUT ${route}`);
  expect(attribute(request, 'http.route')).toBe(route);
  expect(request.traceId).toBe(traceId);
  const ofTrace = spans().filter(({ traceId }) => traceId === request.traceId);
  const texts = ofTrace.map((span) => attribute(span, 'db.query.text') ?? attribute(span, 'db.statement'));
  expect(texts.filter((text) => text?.includes('FROM create_contribution('))).toHaveLength(1);

  expect(await service.signal('SIGTERM')).toBe(0);
  expect(bodies.every((body) => body.startsWith('/v1/traces '))).toBe(true);
  expect([...tokens]).toEqual(['of-the-collector']);
  for (const text of ['named-by-the-operator', 'staging']) expect(bodies.join('')).toContain(text);
  const { 'API-Key': apiKey, 'API-Secret': apiSecret } = headers;
  const forbidden = [...Object.values(canary), apiKey!, apiSecret!, id, pepper, 'A company'];
  expect(forbidden.filter((text) => bodies.join('').includes(text))).toEqual([]);
});

longTest('with a sampler that drops everything, nothing is sent', async () => {
  bodies.length = 0;
  const service = await RunningService.start({
    DATABASE_URL: database.url,
    ALLOW_PLAIN_HTTP: 'on',
    CREDENTIAL_PEPPERS: `1:${pepper}`,
    DATA_DIRECTORY: folder.path,
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`,
    OTEL_TRACES_SAMPLER: 'always_off',
  });
  const response = await fetch(`${service.baseUrl}/company/integration/get/projects`, { headers });
  expect(response.status).toBe(200);
  // Spans are flushed at shutdown.
  expect(await service.signal('SIGTERM')).toBe(0);
  expect(service.output).toContain('"msg":"sending traces"');
  expect(bodies).toEqual([]);
});

longTest('an unreachable collector fails no request, does not delay shutdown, and is logged', async () => {
  const service = await RunningService.start({
    DATABASE_URL: database.url,
    ALLOW_PLAIN_HTTP: 'on',
    CREDENTIAL_PEPPERS: `1:${pepper}`,
    DATA_DIRECTORY: folder.path,
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  });
  const response = await fetch(`${service.baseUrl}/company/integration/get/projects`, { headers });
  expect(response.status).toBe(200);
  await until('the log says so', () => service.output.includes('"msg":"traces do not arrive"'));
  // Otherwise it would be terminated, and exit with 1.
  expect(await service.signal('SIGTERM')).toBe(0);
});

test.each(
  sample(
    [
      ['without an endpoint', {}, 0],
      [
        'when the SDK is disabled',
        { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_SDK_DISABLED: 'true' },
        0,
      ],
      ['with an empty endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }, 0],
      ['with none', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_TRACES_EXPORTER: 'none' }, 0],
      ['with another exporter', { OTEL_TRACES_EXPORTER: 'console' }, 0],
      ['with an endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }, 1],
      ["with the standard's endpoint", { OTEL_TRACES_EXPORTER: 'otlp' }, 1],
    ],
    1,
  ),
)('%s: the SDK is loaded only if it is needed', async (_when, environment, loaded) => {
  // All modules that the program loads, except its entry point.
  const script = `require('./dist/src/tracing/tracing.js'); require('./dist/src/container.js');
    const has = (part) => Object.keys(require.cache).some((file) => file.includes(part));
    console.log('loaded', has('start-tracing.js'), has('@opentelemetry/sdk-trace-base'));
    process.exit(0)`;
  const { output } = await runProcess(process.execPath, ['-e', script], environment);
  expect(output).toContain(`loaded ${loaded > 0} ${loaded > 0}`);
});

test.each(
  sample(
    [
      [{ OTEL_TRACES_EXPORTER: 'zipkin' }, 'OTEL_TRACES_EXPORTER: only otlp and none are supported'],
      [
        { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
        'OTEL_EXPORTER_OTLP_PROTOCOL: traces are sent over HTTP with JSON',
      ],
    ],
    1,
  ),
)('%o is not supported, and the log says so', async (environment, warning) => {
  const script = `const { reportTracing } = require('./dist/src/tracing/tracing.js');
    reportTracing(require('./dist/src/shared/logger.js').createLogger('info'));
    setTimeout(() => process.exit(0), 50)`;
  const { output } = await runProcess(process.execPath, ['-e', script], environment);
  expect(output).toContain(`"level":40`);
  expect(output).toContain(warning);
});
