import fc from 'fast-check';

import {
  digestOfFilters,
  readPageCursor,
  writePageCursor,
} from '../../src/core/contributions/contributions.cursor';
import { decodeCursor, encodeCursor } from '../../src/shared/cursor';

const base64url = (text: string): string => Buffer.from(text, 'utf8').toString('base64url');

describe('a cursor', () => {
  test('of any sort key is base64url and is decoded to the same key', () => {
    const key = fc.array(fc.oneof(fc.string(), fc.maxSafeInteger()));
    fc.assert(
      fc.property(key, (parts) => {
        const cursor = encodeCursor(parts);
        expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(decodeCursor(cursor)).toEqual(parts);
      }),
    );
  });

  test('is base64url of a JSON array', () => {
    expect(encodeCursor([10, 'é'])).toBe(base64url('[10,"é"]'));
  });

  test.each([
    ['an empty text', ''],
    ['a leading character outside base64url', `+${base64url('[1]')}`],
    ['a trailing character outside base64url', `${base64url('[1]')}/`],
    ['a leading character outside base64', `%${base64url('[1]')}`],
    ['padding', `${base64url('[1]')}=`],
    ['a trailing line break', `${base64url('[1]')}\n`],
    ['no JSON', base64url('[1')],
    ['an object', base64url('{"0":1}')],
    ['a number', base64url('1')],
    ['null', base64url('null')],
  ])('is not decoded: %s', (_what, text) => {
    expect(decodeCursor(text)).toBeUndefined();
  });
});

describe('a cursor of a list of transactions', () => {
  const transactionId = 'K7Q20CR5M3V9XHG';
  const filters = digestOfFilters({ status: 'pending' });

  test('is decoded to the same values', () => {
    const [completeUntil, readAt] = [new Date(1_700_000_000_001), new Date(1_700_000_000_002)];
    for (const id of [transactionId, '']) {
      const place = { key: [1_700_000_000_000_000, id], completeUntil, readAt } as const;
      expect(readPageCursor(writePageCursor({ filters, place }))).toEqual({ filters, place });
    }
  });

  test.each([
    ['no filters', [1, transactionId, 1, 1]],
    ['filters of another form', ['created', 1, transactionId, 1, 1]],
    ['filters that are no text', [1, 1, transactionId, 1, 1]],
    ['a time that is not a number', [filters, '1', transactionId, 1, 1]],
    ['a time that is not an integer', [filters, 1.5, transactionId, 1, 1]],
    ['a time that is too large to be exact', [filters, 2 ** 53, transactionId, 1, 1]],
    ['an id that is not text', [filters, 1, 1, 1, 1]],
    ['an id of another form', [filters, 1, `${transactionId}0`, 1, 1]],
    ['no id', [filters, 1]],
    ['no complete_until', [filters, 1, transactionId]],
    ['a complete_until that is not a number', [filters, 1, transactionId, '1', 1]],
    ['a complete_until that is not an integer', [filters, 1, transactionId, 1.5, 1]],
    ['a complete_until before 1970', [filters, 1, transactionId, -1, 1]],
    ['a complete_until after the year 9999', [filters, 1, transactionId, Date.UTC(10_000, 0), 1]],
    ['no time of the first page', [filters, 1, transactionId, 1]],
    ['a time of the first page after the year 9999', [filters, 1, transactionId, 1, Date.UTC(10_000, 0)]],
    ['one part more', [filters, 1, transactionId, 1, 1, 1]],
    ['no elements', []],
  ])('is invalid with %s', (_what, key) => {
    expect(readPageCursor(base64url(JSON.stringify(key)))).toBeUndefined();
  });

  test('is invalid when it is not a cursor at all', () => {
    expect(readPageCursor('%')).toBeUndefined();
  });

  test('distinguishes any two lists with different filters, regardless of the page and the parameter order', () => {
    const lists = [
      {},
      { status: 'pending' },
      { status: 'completed' },
      { created_from: '2026-01-01T00:00:00Z' },
      { created_to: '2026-01-01T00:00:00Z' },
      { user_hash: 'pending' },
      { status: 'pending', user_hash: 'pending' },
    ];
    expect(new Set(lists.map(digestOfFilters)).size).toBe(lists.length);
    expect(digestOfFilters({ user_hash: 'a', limit: 1, status: 'pending', cursor: {} })).toBe(
      digestOfFilters({ status: 'pending', user_hash: 'a', project_id: undefined, limit: 2 }),
    );
  });
});
