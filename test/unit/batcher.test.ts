import { createBatcher } from '../../src/shared/batcher';

let done: string[] = [];
const letters = createBatcher((letter: string) => {
  done.push(letter);
  // What is added meanwhile belongs to the next time.
  if (letter === 'again') letters.add('more');
}, 20);

beforeEach(() => {
  jest.useFakeTimers();
  done = [];
});
afterEach(() => {
  jest.useRealTimers();
});

test('what comes within the time is done together, in its order', () => {
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

test('what is left is done at once when somebody asks for it, and once only', () => {
  letters.add('a');
  letters.add('again');
  letters.flush();
  expect(done).toEqual(['a', 'again']);
  letters.flush();
  expect(done).toEqual(['a', 'again', 'more']);
  jest.runAllTimers();
  expect(done).toEqual(['a', 'again', 'more']);
});

test('what fails keeps nothing from being done the next time', () => {
  const fragile = createBatcher((letter: string) => {
    if (letter === 'bad') throw new Error('cannot be done');
    done.push(letter);
  }, 20);
  fragile.add('bad');
  expect(fragile.flush).toThrow('cannot be done');
  fragile.add('a');
  jest.advanceTimersByTime(20);
  expect(done).toEqual(['a']);
});
