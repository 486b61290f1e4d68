import { faultKinds } from './kinds';
import { createSchedule, type ScheduledFault } from './schedule';

const kinds = faultKinds.map(({ name }) => name);

function first(count: number, seed: number): ScheduledFault[] {
  const schedule = createSchedule(seed, kinds);
  return Array.from({ length: count }, () => schedule.next().value);
}

test('the same seed gives the same faults, and another seed gives others', () => {
  expect(first(500, 7)).toEqual(first(500, 7));
  expect(first(500, 7)).not.toEqual(first(500, 8));
});

test('every kind occurs once before any occurs again', () => {
  expect(kinds.length).toBeGreaterThanOrEqual(12);
  expect(new Set(kinds).size).toBe(kinds.length);
  const faults = first(kinds.length * 20, 3);
  for (let cycle = 0; cycle < 20; cycle += 1) {
    const part = faults.slice(cycle * kinds.length, (cycle + 1) * kinds.length);
    expect(part.map(({ kind }) => kind).sort()).toEqual([...kinds].sort());
  }
});

test('the faults are numbered', () => {
  expect(first(100, 1).map(({ number }) => number)).toEqual(
    Array.from({ length: 100 }, (_, index) => index + 1),
  );
});
