import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

import { startService, type TestCompany, type TestService } from '../../support/service';
import { keepSlowClients } from './slow-clients';

const limits = { headersMs: 1_000, requestMs: 2_000 };
const slowCount = 120;

let service: TestService;
let company: TestCompany;
let agent: Agent;

beforeAll(async () => {
  service = await startService({
    settings: {
      HEADERS_TIMEOUT_MS: String(limits.headersMs),
      REQUEST_TIMEOUT_MS: String(limits.requestMs),
      LOG_LEVEL: 'warn',
    },
  });
  company = await service.addCompany();
  agent = new Agent({ keepAlive: true, maxSockets: 4 });
});
afterAll(async () => {
  agent.destroy();
  await service.stop();
});

/** @returns the duration of a read in milliseconds */
function read(): Promise<number> {
  const startedAt = performance.now();
  const headers = { 'API-Key': company.test.apiKey, 'API-Secret': company.test.apiSecret };
  return new Promise((resolve, reject) => {
    request(
      { port: service.port, path: '/company/integration/projects-stories', agent, headers },
      (response) => {
        response.resume().once('end', () => {
          if (response.statusCode === 200) resolve(performance.now() - startedAt);
          else reject(new Error(`status ${response.statusCode ?? 0}`));
        });
      },
    )
      .once('error', reject)
      .end();
  });
}

/** The 99th percentile of reads by a few steady clients, in milliseconds. */
async function p99(durationMs: number): Promise<number> {
  const times: number[] = [];
  const until = performance.now() + durationMs;
  const client = async (): Promise<void> => {
    while (performance.now() < until) {
      times.push(await read());
      await delay(2);
    }
  };
  await Promise.all(Array.from({ length: 4 }, client));
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Infinity;
}

/** The lowest of several measurements, because a busy machine may distort some of them. */
async function steadyP99(windows: number): Promise<number> {
  const found: number[] = [];
  for (let count = 0; count < windows; count += 1) found.push(await p99(1_000));
  return Math.min(...found);
}

test('slow clients are disconnected within the documented time, and other clients get their responses as fast as without them', async () => {
  await p99(500);
  const before = await steadyP99(3);
  const { apiKey, apiSecret } = company.test;
  const slow = keepSlowClients(service.port, { apiKey: apiKey!, apiSecret: apiSecret! }, slowCount, limits);
  const during = await steadyP99(5);
  await slow.stop();
  expect(slow.flaws()).toEqual([]);
  // Each was disconnected at least once in this time and replaced by another.
  expect(slow.disconnected).toBeGreaterThanOrEqual(slowCount);
  expect(during).toBeLessThan(Math.max(before * 3, 60));
});
