import { together } from '../src/shared/together';

let done: string[] = [];
const letters = together((letter: string) => {
  done.push(letter);
  // What is added meanwhile belongs to the next time.
  if (letter === 'again') letters.soon('more');
}, 20);

beforeEach(() => {
  jest.useFakeTimers();
  done = [];
});
afterEach(() => {
  jest.useRealTimers();
});

test('what comes within the time is done together, in its order', () => {
  letters.soon('a');
  jest.advanceTimersByTime(19);
  letters.soon('b');
  expect(done).toEqual([]);
  jest.advanceTimersByTime(1);
  expect(done).toEqual(['a', 'b']);
  letters.soon('c');
  jest.advanceTimersByTime(20);
  expect(done).toEqual(['a', 'b', 'c']);
});

test('what is left is done at once when somebody asks for it, and once only', () => {
  letters.soon('a');
  letters.soon('again');
  letters.now();
  expect(done).toEqual(['a', 'again']);
  letters.now();
  expect(done).toEqual(['a', 'again', 'more']);
  jest.runAllTimers();
  expect(done).toEqual(['a', 'again', 'more']);
});

test('what fails keeps nothing from being done the next time', () => {
  const fragile = together((letter: string) => {
    if (letter === 'bad') throw new Error('cannot be done');
    done.push(letter);
  }, 20);
  fragile.soon('bad');
  expect(fragile.now).toThrow('cannot be done');
  fragile.soon('a');
  jest.advanceTimersByTime(20);
  expect(done).toEqual(['a']);
});
