import { explainDisturbances } from './explain';
import { Journal } from './journal/journal';

const windows = [
  { from: 1_000, to: 2_000, kind: 'first' },
  { from: 10_000, to: 12_000, kind: 'second' },
];

function disturbedFrom(sentAt: number, receivedAt: number): Journal {
  const journal = new Journal();
  journal.disturbed('create', { sentAt, receivedAt, response: undefined });
  return journal;
}

test.each([
  ['begun before a fault and ended in it', 500, 1_500, 'first'],
  ['within a fault', 10_500, 11_000, 'second'],
  ['around a fault', 9_000, 13_000, 'second'],
  ['begun right after the first success', 2_500, 2_600, 'first'],
])('a request without a response %s is explained', (_, sentAt, receivedAt, kind) => {
  const journal = disturbedFrom(sentAt, receivedAt);
  expect(explainDisturbances(journal, windows)).toEqual(new Map([[kind, 1]]));
  expect(journal.violations).toEqual([]);
  expect(journal.disturbances).toEqual([]);
});

test.each([
  ['before any fault', 100, 900],
  ['between two faults', 3_100, 9_900],
  ['after the last fault', 13_100, 13_200],
])('a request without a response %s is a violation', (_, sentAt, receivedAt) => {
  const journal = disturbedFrom(sentAt, receivedAt);
  expect(explainDisturbances(journal, windows).size).toBe(0);
  expect(journal.violations.map(({ kind }) => kind)).toEqual(['unexplained']);
});
