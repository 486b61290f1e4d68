import { setTimeout as delay } from 'node:timers/promises';

import { createConcurrencyLimit } from '../../src/shared/concurrency-limit';

class Rejected extends Error {}

const limits = { concurrent: 2, waiting: 3, waitMs: 60 };

/** Work that ends on demand. */
function controlled(limits_ = limits) {
  const limited = createConcurrencyLimit(limits_, () => new Rejected());
  const started: { number: number; end: (error?: Error) => void }[] = [];
  const begin = (number: number): Promise<number> =>
    limited(
      () =>
        new Promise((resolve, reject) => {
          started.push({
            number,
            end: (error) => {
              if (error) reject(error);
              else resolve(number);
            },
          });
        }),
    );
  return { begin, started, numbers: () => started.map(({ number }) => number) };
}

test('runs a limited number at a time, queues the others in order, and rejects those beyond the queue limit', async () => {
  // No work waits too long, even on a busy machine.
  const { begin, started, numbers } = controlled({ ...limits, waitMs: 60_000 });
  const results = [1, 2, 3, 4, 5].map(begin);
  await expect(begin(6)).rejects.toBeInstanceOf(Rejected);
  expect(numbers()).toEqual([1, 2]);
  for (let index = 0; index < 5; index += 1) {
    started[index]!.end();
    await results[index];
    await delay(0);
  }
  expect(numbers()).toEqual([1, 2, 3, 4, 5]);
  expect(await Promise.all(results)).toEqual([1, 2, 3, 4, 5]);
});

test('rejects work that has waited too long, and never starts it', async () => {
  const { begin, started, numbers } = controlled();
  const running = [begin(1), begin(2)];
  await expect(begin(3)).rejects.toBeInstanceOf(Rejected);
  const next = begin(4);
  started[0]!.end();
  await delay(0);
  expect(numbers()).toEqual([1, 2, 4]);
  started.slice(1).forEach(({ end }) => {
    end();
  });
  await Promise.all([...running, next]);
});

test('failed work frees its slot', async () => {
  const { begin, started, numbers } = controlled({ ...limits, concurrent: 1 });
  for (const number of [1, 2, 3]) {
    const result = begin(number);
    await delay(0);
    started.at(-1)!.end(new Error('no'));
    await expect(result).rejects.toThrow('no');
  }
  expect(numbers()).toEqual([1, 2, 3]);
});
