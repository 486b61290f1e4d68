import {
  type EntrySearch,
  type Known,
  matchEntry,
  mostIdsOfLine,
} from '../../../src/features/bank-statements/contributions/match-entry';
import { createSearch } from '../../../src/features/bank-statements/reading/search-ids';
import { composeTransactionId } from '../../../src/shared/transaction-id';
import { lineWith } from '../../support/files-to-read';

/** An entry names at most 20 transaction ids, because each of them is stored and looked up. */
const created = new Date('2026-11-02T08:00:00Z');
const ids = Array.from({ length: 200 }, (_, at) => composeTransactionId('K7Q2', created, at + 1)).filter(
  (id): id is string => id !== undefined,
);
const context = { tags: new Set(['K7Q2']), now: new Date('2026-12-01T00:00:00Z') };
const searchOf = (count: number): EntrySearch => ({
  ...createSearch(context)(lineWith(ids.slice(0, count).join(', '))).stored,
  hasWrongCheckCharacter: false,
});
const known = (count: number): Known => ({
  tags: context.tags,
  contributions: new Map(
    ids
      .slice(0, count)
      .map((transactionId) => [transactionId, { transactionId, environmentId: 1, amountCents: 25_00n }]),
  ),
  settlements: new Map(),
  returns: new Set(),
  reset: { ids: new Set<string>(), references: new Set<string>() },
});

test('up to 20 ids are paid if they sum to the entry', () => {
  const search = searchOf(20);
  expect(search.normalized).toEqual(ids.slice(0, 20));
  expect(matchEntry(500_00n, search, known(20)).matches).toHaveLength(20);
});

test('more than 20 ids are too many, even if some do not exist', () => {
  const search = searchOf(ids.length);
  expect(search.normalized).toHaveLength(mostIdsOfLine + 1);
  const tooMany = { matches: [], reason: 'several_references' };
  expect(matchEntry(525_00n, search, known(21))).toEqual(tooMany);
  expect(matchEntry(25_00n, search, known(1))).toEqual(tooMany);
  expect(matchEntry(25_00n, search, known(0))).toEqual({ matches: [], reason: 'not_found' });
});

test('an id beside one that the viewer may not see pays only its own amount', () => {
  const [one = '', other = ''] = ids;
  const search: EntrySearch = {
    exact: [one, other],
    ...{ normalized: [], repaired: [], hasWrongCheckCharacter: false, identifiers: [] },
  };
  expect(matchEntry(25_00n, search, known(1)).matches).toMatchObject([
    { transactionId: one, cents: 25_00n, isConfirmed: true },
  ]);
  for (const cents of [50_00n, 10_00n]) {
    expect(matchEntry(cents, search, known(1))).toEqual({ matches: [], reason: 'several_references' });
  }
});
