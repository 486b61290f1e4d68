import fc from 'fast-check';

import {
  type StoredSearch,
  visibleSearch,
} from '../../../src/features/bank-statements/contributions/match-entry';
import { createSearch } from '../../../src/features/bank-statements/reading/search-ids';
import { composeTransactionId } from '../../../src/shared/transaction-id';
import { randomCases, takesAllRows } from '../../support/full-run';
import { lineWith } from '../../support/files-to-read';

/** The ids that a viewer finds depend only on the texts and on the environments that it may see. */
const created = new Date('2026-11-02T08:00:00Z');
const now = new Date('2026-12-01T00:00:00Z');
// Two tags differ in one character, so that a damaged id could be repaired to another
// environment's.
const tags = ['K7Q2', 'K7Q3', 'H7Q2', 'ZZZ9'];
const ids = tags.flatMap((tag) =>
  Array.from({ length: 12 }, (_, number) => composeTransactionId(tag, created, number)).flatMap(
    (id) => id ?? [],
  ),
);

const storedSearch = (text: string, of: readonly string[]): StoredSearch =>
  createSearch({ tags: new Set(of), now })(lineWith(text)).stored;

const id = fc.constantFrom(...ids);
const character = fc.constantFrom(...Array.from('0123456789ABCDEFGHJKMNPQRSTVWXYZ'));
const place = fc.integer({ min: 0, max: 14 });
const piece = fc.oneof(
  id,
  id.map((given) => given.toLowerCase()),
  fc.tuple(id, place).map(([given, at]) => `${given.slice(0, at)} ${given.slice(at)}`),
  fc.tuple(id, place, character).map(([given, at, one]) => given.slice(0, at) + one + given.slice(at + 1)),
  fc.tuple(id, place).map(([given, at]) => given.slice(0, at) + given.slice(at + 1)),
  fc.tuple(id, place, character).map(([given, at, one]) => given.slice(0, at) + one + given.slice(at)),
  fc.tuple(id, place).map(([given, length]) => given.slice(0, length)),
  fc.stringMatching(/^[A-Z0-9]{0,6}$/),
);
const text = fc
  .array(fc.tuple(piece, fc.constantFrom('', '', ' ', '/', '-')), { minLength: 1, maxLength: 8 })
  .map((pieces) => pieces.flat().join(''));

test('the environments that a viewer may not see change nothing', () => {
  fc.assert(
    fc.property(text, fc.subarray(tags), (given, visible) => {
      const seen = new Set(visible);
      const alone = visibleSearch(storedSearch(given, visible), seen);
      expect(visibleSearch(storedSearch(given, tags), seen)).toEqual(alone);
    }),
    { numRuns: takesAllRows ? 100_000 : randomCases(2_000) },
  );
});

test('an id that overlaps an id of another environment is found', () => {
  // An id of another environment whose last characters are the first ones of this one.
  const [own = ''] = ids;
  for (let at = 0; at < 32 ** 3; at += 1) {
    const other = composeTransactionId('ZZZ9', created, at);
    if (!other?.endsWith(own.charAt(0))) continue;
    expect(storedSearch(`X${other}${own.slice(1)}X`, tags).attached).toEqual([other, own]);
    return;
  }
  throw new Error('no id ends with this character');
});

test('a viewer finds at most 20 ids, and none by repair if there are many', () => {
  const many = Array.from({ length: 60 }, (_, at) => composeTransactionId('K7Q2', created, at + 100)).flatMap(
    (given) => given ?? [],
  );
  const attached = storedSearch(many.map((given) => `X${given}X`).join('/'), tags);
  expect(attached.attached).toHaveLength(21);
  expect(visibleSearch(attached, new Set(['K7Q2'])).normalized).toHaveLength(21);
  expect(visibleSearch(attached, new Set(['ZZZ9'])).normalized).toEqual([]);
  const damaged = many.slice(0, 30).map((given) => given.slice(0, 14) + (given.endsWith('A') ? 'B' : 'A'));
  const repaired = storedSearch(damaged.join(' '), tags);
  expect(repaired.repaired.length).toBeGreaterThan(64);
  expect(visibleSearch(repaired, new Set(['K7Q2'])).repaired).toEqual([]);
});
