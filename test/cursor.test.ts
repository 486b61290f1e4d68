import fc from 'fast-check';

import { readPageCursor, writePageCursor } from '../src/modules/contributions/contributions.cursor';
import { decodeCursor, encodeCursor } from '../src/shared/cursor';

const base64url = (text: string): string => Buffer.from(text, 'utf8').toString('base64url');

describe('a cursor', () => {
  test('of any sort key is base64url and is read back as it was', () => {
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
    ['nothing', ''],
    ['a character of base64 that is not of base64url before it', `+${base64url('[1]')}`],
    ['a character of base64 that is not of base64url behind it', `${base64url('[1]')}/`],
    ['a character of no base64 before it', `%${base64url('[1]')}`],
    ['padding', `${base64url('[1]')}=`],
    ['a line break behind it', `${base64url('[1]')}\n`],
    ['no JSON', base64url('[1')],
    ['an object', base64url('{"0":1}')],
    ['a number', base64url('1')],
    ['null', base64url('null')],
  ])('is not one with or of %s', (_what, text) => {
    expect(decodeCursor(text)).toBeUndefined();
  });
});

describe('a cursor of a list of transactions', () => {
  const transactionId = 'K7Q20CR5M3V9XHG';

  test('is read back as it was', () => {
    for (const order of ['created', 'completed'] as const) {
      const cursor = { order, key: [1_700_000_000_000_000, transactionId] } as const;
      expect(readPageCursor(writePageCursor(cursor))).toEqual(cursor);
    }
  });

  test.each([
    ['no order', [1, transactionId]],
    ['another order', ['amount', 1, transactionId]],
    ['a time that is no number', ['created', '1', transactionId]],
    ['a time that is no integer', ['created', 1.5, transactionId]],
    ['a time that is too large to be exact', ['created', 2 ** 53, transactionId]],
    ['an id that is no text', ['created', 1, 1]],
    ['an id of another form', ['created', 1, `${transactionId}0`]],
    ['no id', ['created', 1]],
    ['one part more', ['created', 1, transactionId, 1]],
    ['nothing in it', []],
  ])('is not one with %s', (_what, key) => {
    expect(readPageCursor(base64url(JSON.stringify(key)))).toBeUndefined();
  });

  test('is not one when it is no cursor at all', () => {
    expect(readPageCursor('%')).toBeUndefined();
  });
});
