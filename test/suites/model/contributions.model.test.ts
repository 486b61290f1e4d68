import { addProject } from '../../support/catalogue';
import { isCitus } from '../../support/citus/databases';
import { startService, type TestService } from '../../support/service';
import { createShared, type Shared } from './service-under-test';
import { playSequence, playSequences } from './play-sequences';
import { createVisits } from './visits';
import { isFullRun, takesAllRows } from '../../support/full-run';

/**
 * Compares contributions with a model: random sequences of creating, retrying, completing,
 * returning, correcting, reading, rotating, revoking and linking by six principals, sequentially
 * and concurrently. Every response is compared with the model (model.ts, rights.ts, commands/), and
 * concurrent ones with every order (explain.ts). After each sequence the database, the feeds and
 * the totals are compared as well. Every sequence uses separate companies.
 *
 * `npm test` plays 6 sequences, and `.ci/run` plays 150. For more or different ones:
 *
 *   npm run test:all -- --every-row      838 sequences: every cell of state × operation × principal
 *   npm run test:suite model                                        50,000 sequences
 *   MODEL_SEQUENCES=2000 MODEL_SEED=7 npm run test:suite model
 *
 * A failure prints the seed and the number of the sequence, which replay it, and the path of its
 * smallest form:
 *
 *   MODEL_SEED=7 MODEL_ONLY=123 MODEL_PATH=0:1:2 npm run test:suite model
 *
 * Concurrent actions may need several attempts until they happen in that order again.
 */
const setting = (name: string, byDefault: number): number => Number(process.env[name] ?? byDefault);
const seed = setting('MODEL_SEED', 20261121);
/** The smallest number of sequences that visits every cell with the default seed. */
const countForAllCells = 838;
const count = setting('MODEL_SEQUENCES', takesAllRows ? countForAllCells : isFullRun ? 150 : 6);
const only = process.env['MODEL_ONLY'];
/** A sequence takes several times as long on Citus. */
const timeoutMs = 120_000 + count * (isCitus ? 3_000 : 500);

let service: TestService;
let shared: Shared;

beforeAll(async () => {
  service = await startService({
    // Many concurrent requests may wait long on a busy machine.
    settings: {
      LOG_LEVEL: 'error',
      DATABASE_POOL_SIZE: '20',
      DATABASE_ACQUIRE_TIMEOUT_MS: '20000',
      DATABASE_STATEMENT_TIMEOUT_MS: '20000',
      DATABASE_LOCK_TIMEOUT_MS: '20000',
      DATABASE_ANSWER_TIMEOUT_MS: '30000',
    },
  });
  const projects: number[] = [];
  for (let rank = 1; rank <= 4; rank += 1) projects.push(await addProject(service.database.admin, { rank }));
  shared = createShared(service, projects);
});

afterAll(async () => {
  await shared.close();
  await service.stop();
});

async function playAllAndPrint(): Promise<void> {
  const visits = createVisits();
  const startedAt = performance.now();
  try {
    await playSequences(shared, visits, { seed, count });
  } finally {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    process.stdout.write(`\n${visits.table()}\n\nup to ${count} sequences, seed ${seed}, ${seconds} s\n`);
  }
  if (count >= countForAllCells) expect(visits.missing()).toEqual([]);
  // Nothing that a client does may cause an error line.
  expect(service.logLines).toEqual([]);
}

if (only === undefined) {
  const cells = count >= countForAllCells ? ', and visit every cell' : '';
  const name = `in ${count} sequences every response and the database match the model${cells}`;
  test(name, playAllAndPrint, timeoutMs);
} else {
  const path = process.env['MODEL_PATH'];
  const play = () => playSequence(shared, createVisits(), { seed, sequence: Number(only), path });
  test(`in sequence ${only} every response and the database match the model`, play, timeoutMs);
}
