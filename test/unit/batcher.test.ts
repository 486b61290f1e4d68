import { createBatcher } from '../../src/shared/batcher';

let done: string[] = [];
const letters = createBatcher((letter: string) => {
  done.push(letter);
  // Items that are added during a run belong to the next run.
  if (letter === 'again') letters.add('more');
}, 20);

beforeEach(() => {
  jest.useFakeTimers();
  done = [];
});
afterEach(() => {
  jest.useRealTimers();
});

test('items that arrive within the interval are processed together in order', () => {
  letters.add('a');
  jest.advanceTimersByTime(19);
  letters.add('b');
  expect(done).toEqual([]);
  jest.advanceTimersByTime(1);
  expect(done).toEqual(['a', 'b']);
  letters.add('c');
  jest.advanceTimersByTime(20);
  expect(done).toEqual(['a', 'b', 'c']);
});

test('a flush processes the remaining items at once and only once', () => {
  letters.add('a');
  letters.add('again');
  letters.flush();
  expect(done).toEqual(['a', 'again']);
  letters.flush();
  expect(done).toEqual(['a', 'again', 'more']);
  jest.runAllTimers();
  expect(done).toEqual(['a', 'again', 'more']);
});

test('an item that fails is reported, and does not block the others', () => {
  const reported = jest.spyOn(process, 'nextTick').mockImplementation(() => undefined);
  const fragile = createBatcher((letter: string) => {
    if (letter === 'bad') throw new Error('cannot be done');
    done.push(letter);
  }, 20);
  for (const letter of ['bad', 'a']) fragile.add(letter);
  fragile.flush();
  expect(done).toEqual(['a']);
  expect(reported.mock.lastCall?.[0]).toThrow('cannot be done');
  reported.mockRestore();
});
