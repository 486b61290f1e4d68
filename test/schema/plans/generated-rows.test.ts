import { rowsOf } from '../../../bench/data/rows';
import { sizeOf } from '../../../bench/data/size';
import { parseTransactionId } from '../../../src/shared/transaction-id';

const size = sizeOf(0.001);

const linesOf = (...parts: { into: string; lines: string[] }[][]): Record<string, string[]> => {
  const all: Record<string, string[]> = {};
  for (const { into, lines } of parts.flat()) all[into] = [...(all[into] ?? []), ...lines];
  return all;
};

test('the same seed generates the same rows, regardless of the batches', () => {
  const [whole, parts] = [rowsOf(size, 1), rowsOf(size, 1)];
  expect(linesOf(parts.supports(0, 333), parts.supports(333, 1_000))).toEqual(
    linesOf(whole.supports(0, 1_000)),
  );
  expect(linesOf(parts.users(0, 10), parts.users(10, 500))).toEqual(linesOf(whole.users(0, 500)));
  expect(linesOf(parts.stories(0, 7), parts.stories(7, 900))).toEqual(linesOf(whole.stories(0, 900)));
});

test('another seed generates other rows', () => {
  expect(rowsOf(size, 2).supports(0, 100)).not.toEqual(rowsOf(size, 1).supports(0, 100));
});

test('every transaction has a unique id in the format of the service', () => {
  const [transactions] = rowsOf(size, 1).supports(0, size.supports);
  const ids = transactions!.lines.map((line) => line.split('\t')[1]!);
  expect(ids).toHaveLength(2 * size.supports);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => parseTransactionId(id)?.transactionId !== id)).toEqual([]);
});
