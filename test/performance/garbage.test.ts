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

test('what requests make is collected while it is young', async () => {
  const service = await RunningService.start({
    DATA_DIRECTORY: folder.path,
    RATE_LIMIT_PER_SECOND: '1000000',
    NODE_OPTIONS: `--import=data:text/javascript,import%20v8%20from%20'node:v8';v8.setFlagsFromString('--trace-gc')`,
  });
  const [, key, secret, url] = /curl -H 'API-Key: (\S+)' -H 'API-Secret: (\S+)' '(\S+)'/.exec(
    service.output,
  )!;
  const result = await autocannon({
    url: url!.replace(/\?.*/, ''),
    headers: { 'API-Key': key!, 'API-Secret': secret! },
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
