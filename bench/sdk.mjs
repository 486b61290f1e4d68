// node bench/sdk.mjs [ROUNDS]: what a call of the SDK costs over plain fetch. Both send the same
// create to a server in another process, in alternating rounds, and read the same response. Fails
// above 0.1 ms.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { ContributionService } from 'contribution-service-sdk';

const mostOverheadMs = 0.1;
const rounds = Number(process.argv[2] ?? 15);
const callsPerRound = 500;

const server = spawn(
  process.execPath,
  [
    '-e',
    `require('node:http').createServer((request, response) => request.resume().on('end', () => {
       response.writeHead(201, { 'Content-Type': 'application/json', Environment: 'test', 'X-Request-Id': 'a' });
       response.end('{"transaction_id":"K7Q20CR5M3V9XHG","status":"pending"}');
     })).listen(0, '127.0.0.1', function () { console.log(this.address().port); })`,
  ],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
const [port] = await once(server.stdout, 'data');
const apiUrl = `http://127.0.0.1:${String(port).trim()}/company/integration`;

// A pair with a right checksum, which no service knows.
const apiKey = `cpk_test_${'0'.repeat(22)}`;
const apiSecret = `cps_test_${'0'.repeat(43)}3OaySn`;
const order = { project_id: 1, amount: '25.00', user_hash: 'q2Zk1sV0uYc9rA7dT5xNfg==' };
const client = new ContributionService({ apiKey, apiSecret, apiUrl });

const contestants = {
  fetch: async (key) => {
    const response = await fetch(`${apiUrl}/contributions/create`, {
      method: 'PUT',
      headers: {
        'API-Key': apiKey,
        'API-Secret': apiSecret,
        'Content-Type': 'application/json',
        'Idempotency-Key': key,
      },
      body: JSON.stringify(order),
      signal: AbortSignal.timeout(20_000),
    });
    return response.json();
  },
  sdk: (key) => client.contributions.create(order, { idempotencyKey: key }),
};

/** Milliseconds of wall time and of this process's CPU time for each call, one after another. */
async function measure(call) {
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  for (let count = 0; count < callsPerRound; count += 1) await call(`key-${count}`);
  const { user, system } = process.cpuUsage(cpu);
  return {
    wall: (performance.now() - startedAt) / callsPerRound,
    cpu: (user + system) / 1_000 / callsPerRound,
  };
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const overheads = { wall: [], cpu: [] };
const totals = { fetch: [], sdk: [] };
for (let round = -2; round < rounds; round += 1) {
  const results = {};
  for (const name of round % 2 === 0 ? ['fetch', 'sdk'] : ['sdk', 'fetch'])
    results[name] = await measure(contestants[name]);
  // The first rounds only warm up.
  if (round < 0) continue;
  for (const name of ['fetch', 'sdk']) totals[name].push(results[name].wall);
  for (const kind of ['wall', 'cpu']) overheads[kind].push(results.sdk[kind] - results.fetch[kind]);
}
server.kill();
const ms = (value) => `${value.toFixed(3)} ms`;
console.log(`a create with fetch: ${ms(median(totals.fetch))}, with the SDK: ${ms(median(totals.sdk))}`);
console.log(
  `overhead of the SDK: ${ms(median(overheads.wall))} of time, ${ms(median(overheads.cpu))} of CPU (medians of ${rounds} rounds)`,
);
if (median(overheads.wall) > mostOverheadMs) process.exitCode = 1;
