import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';

import autocannon from 'autocannon';

import { median } from '../../bench/measure/statistics';
import { build, killLeftOvers, run, RunningService, temporaryFolder } from '../support/program';

/**
 * What V8 does with the objects of a request. Nothing here is timed: shapes and collections are what they are on a machine of any speed,
 * and both have cost a quarter of a request's time without any answer being different.
 */
let folder: ReturnType<typeof temporaryFolder>;

beforeAll(async () => {
  await build();
  folder = temporaryFolder();
}, 60_000);
afterAll(async () => {
  await killLeftOvers();
  folder.remove();
});

test('requests and responses are objects of a known shape, not dictionaries', async () => {
  const program = `
    const http = require('node:http');
    const express = require('express');
    const { expressMessages } = require('./dist/src/http/express-messages.js');
    const app = express();
    app.get('/', (req, res) => {
      console.log(JSON.stringify({ request: %HasFastProperties(req), response: %HasFastProperties(res) }));
      process.exit();
    });
    const server = http.createServer(expressMessages(app), app);
    server.listen(0, () => http.get({ port: server.address().port }));`;
  const { output } = await run(process.execPath, ['--allow-natives-syntax', '-e', program]);
  expect(JSON.parse(output)).toEqual({ request: true, response: true });
});

interface Collection {
  isOfYoung: boolean;
  /** Megabytes in use. */
  before: number;
  after: number;
}

/** What `--trace-gc` tells. */
const collectionsIn = (output: string): Collection[] =>
  [...output.matchAll(/ms: (Scavenge|Mark-Compact)[^\n]*? ([\d.]+) \([\d.]+\) -> ([\d.]+)/g)].map(
    ([, kind, before, after]) => ({
      isOfYoung: kind === 'Scavenge',
      before: Number(before),
      after: Number(after),
    }),
  );

/** The service on its demo, with a module of the test's own in its process; and a request that it answers. */
async function startWith(module: string) {
  const service = await RunningService.start({
    DATA_DIRECTORY: folder.path,
    RATE_LIMIT_PER_SECOND: '1000000',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(module)}`,
  });
  const [, key, secret, url] = /curl -H 'API-Key: (\S+)' -H 'API-Secret: (\S+)' '(\S+)'/.exec(
    service.output,
  )!;
  return { service, url: url!, headers: { 'API-Key': key!, 'API-Secret': secret! } };
}

test('what requests make is collected while it is young', async () => {
  const { service, url, headers } = await startWith(
    `import v8 from 'node:v8'; v8.setFlagsFromString('--trace-gc');`,
  );
  const result = await autocannon({
    url: url.replace(/\?.*/, ''),
    headers,
    connections: 32,
    amount: 30_000,
  });
  expect(result['2xx']).toBe(30_000);
  await service.signal('SIGTERM');

  const collections = collectionsIn(service.output);
  // By what one collection of young objects leaves more than the one before it, of what was made between the two.
  const kept: number[] = [];
  for (const [place, { isOfYoung, before, after }] of collections.entries()) {
    const last = collections[place - 1];
    if (last?.isOfYoung === true && isOfYoung && before > last.after)
      kept.push((after - last.after) / (before - last.after));
  }
  const settled = kept.slice(Math.floor(kept.length / 2));
  expect(settled.length).toBeGreaterThan(10);
  expect(median(settled)).toBeLessThan(0.03);
}, 120_000);

test('a connection that is kept open keeps nothing of its answers', async () => {
  const { service, url, headers } = await startWith(`
    import { ServerResponse } from 'node:http'; import { queryObjects } from 'node:v8';
    process.once('SIGTERM', () => console.log('responses kept: ' + queryObjects(ServerResponse)));`);
  const agent = new Agent({ keepAlive: true });
  const statuses = await Promise.all(
    Array.from({ length: 30 }, async () => {
      const request = get(url, { agent, headers });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      await once(response.resume(), 'end');
      return response.statusCode;
    }),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(Object.values(agent.freeSockets).flat()).toHaveLength(30);
  await service.signal('SIGTERM');
  agent.destroy();
  const [, kept] = /responses kept: (\d+)/.exec(service.output) ?? [];
  // The prototypes that Express makes are such objects themselves, a few of them.
  expect(Number(kept)).toBeLessThan(10);
}, 60_000);
