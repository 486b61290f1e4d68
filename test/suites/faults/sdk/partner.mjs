// A partner and its bank, built on the SDK. The harness kills this program at any moment and starts
// it again. It writes what it intends and what it learns to its journal before it goes on.
//
// Arguments: a JSON object with address, folder, company, completer, projects, firstCents, workers.
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { ContributionService, OutcomeUnknown } from 'contribution-service-sdk';
import { FileIntentStore } from 'contribution-service-sdk/node';

const { address, folder, company, completer, projects, firstCents, workers } = JSON.parse(process.argv[2]);
const journal = path.join(folder, 'journal');
const note = (line) => appendFileSync(journal, `${JSON.stringify(line)}\n`);
const before = existsSync(journal) ? readFileSync(journal, 'utf8') : '';
let cents = firstCents + before.split('"intended"').length;

/** Acts as the proxy that terminates TLS in front of the service. */
const throughProxy = (url, init) =>
  fetch(url.replace('https://api.example', address), {
    ...init,
    headers: { ...init.headers, 'X-Forwarded-Proto': 'https' },
  });

function open(pair, name) {
  return new ContributionService({
    ...pair,
    apiUrl: 'https://api.example/company/integration',
    expectEnvironment: pair.apiKey.split('_')[1],
    fetch: throughProxy,
    store: new FileIntentStore(path.join(folder, name)),
    timeoutMs: 5_000,
    deadlineMs: 20_000,
    onSettled: ({ intent, outcome, response, error }) =>
      note({
        what: outcome === 'succeeded' ? intent.kind : 'rejected',
        key: intent.key,
        id: intent.transaction_id ?? response?.transaction_id,
        error: error?.message,
      }),
  });
}

const host = open(company, 'host');
const bank = open(completer, 'bank');
const recoverAll = async () => {
  const results = await Promise.all([host.recover(), bank.recover()]);
  note({ what: 'recovered', count: results.reduce((sum, { succeeded }) => sum + succeeded.length, 0) });
  return results.reduce((sum, { remaining }) => sum + remaining.length, 0);
};

// Without workers, it only recovers what earlier processes left.
let isStopping = workers === 0;
process.on('SIGTERM', () => {
  isStopping = true;
});

async function contribute() {
  const key = randomUUID();
  const amount = ((cents += 1) / 100).toFixed(2);
  note({ what: 'intended', key, amount });
  const order = { project_id: projects[cents % projects.length], amount, user_hash: `user-${cents % 500}` };
  const { transaction_id: id } = await host.contributions.create(order, { idempotencyKey: key });
  if (cents % 10 === 0) return;
  note({ what: 'transferred', id });
  await bank.bank.complete(id, { amount, bank_reference: `FT-${id}`, value_date: '2026-11-20' });
}

async function work() {
  while (!isStopping) {
    try {
      await contribute();
    } catch (error) {
      // The intent is stored. Any other error is a violation, because every request is valid.
      if (!(error instanceof OutcomeUnknown)) note({ what: 'failed', error: String(error) });
    }
  }
}

await recoverAll();
const recovering = (async () => {
  while (!isStopping) {
    await delay(3_000);
    await recoverAll();
  }
})();
await Promise.all([...Array.from({ length: workers }, work), recovering]);
while ((await recoverAll()) > 0) await delay(500);
process.exit(0);
