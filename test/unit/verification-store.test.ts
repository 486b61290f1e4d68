import type { Database } from '../../src/db/pool/database';
import { check } from '../../src/operator/verification/verification-check';
import { createVerificationStore, type Violation } from '../../src/operator/verification/verification.store';

/**
 * The servers of a cluster share no snapshot. `verify` reports only what every attempt finds there.
 */
const rule = check('figures', 'installation', 'project_figures', 'A rule.', 'SELECT');

const row = (projectId: number, problem: string): Violation => ({
  environment_id: 1,
  project_id: projectId,
  problem,
});

/** A database whose answers to the check are given. The last one repeats. */
function databaseOf(isCluster: boolean, answers: readonly Violation[][], total?: number) {
  let reads = 0;
  const database = {
    runUnprepared: () => Promise.resolve([{ is_cluster: isCluster }]),
    runReadOnly: () => {
      const found = answers[Math.min(reads, answers.length - 1)]!;
      reads += 1;
      return Promise.resolve(found.map((one) => ({ ...one, total: String(total ?? found.length) })));
    },
  } as unknown as Pick<Database, 'runReadOnly' | 'runUnprepared'>;
  return { find: () => createVerificationStore(database, 0).find(rule, [], 100), readCount: () => reads };
}

test('without a cluster, the first attempt counts', async () => {
  const { find, readCount } = databaseOf(false, [[row(1, 'wrong')]]);
  expect(await find()).toEqual({ total: 1, first: [row(1, 'wrong')] });
  expect(readCount()).toBe(1);
});

test('on a cluster, a row that stays wrong is reported', async () => {
  const { find } = databaseOf(true, [[row(1, 'wrong')]]);
  expect(await find()).toEqual({ total: 1, first: [row(1, 'wrong')] });
});

test('on a cluster, rows that each look wrong once are not reported', async () => {
  const answers = Array.from({ length: 10 }, (_, index) => [row(index, 'wrong')]);
  const { find } = databaseOf(true, answers);
  expect(await find()).toEqual({ total: 0, first: [] });
});

test('on a cluster, a row that stays wrong is reported among rows that do not', async () => {
  const answers = Array.from({ length: 10 }, (_, index) => [row(index, 'wrong'), row(99, 'wrong')]);
  const { find } = databaseOf(true, answers);
  expect(await find()).toEqual({ total: 1, first: [row(99, 'wrong')] });
});

test('on a cluster, a problem that stays is reported without one that does not', async () => {
  const { find } = databaseOf(true, [[row(1, 'amount; count')], [row(1, 'count')]]);
  expect(await find()).toEqual({ total: 1, first: [row(1, 'count')] });
});

test('on a cluster, rows that are not listed are counted', async () => {
  const { find } = databaseOf(true, [[row(1, 'wrong')]], 200);
  expect(await find()).toEqual({ total: 200, first: [row(1, 'wrong')] });
});
