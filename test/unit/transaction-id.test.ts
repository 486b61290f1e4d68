import { runInNewContext } from 'node:vm';

import fc from 'fast-check';

import {
  checkCharacter,
  generateTransactionId,
  generateTransactionTag,
  parseTransactionId,
  transactionIdLength,
  transactionIdPattern,
} from '../../src/shared/transaction-id';
import { randomCases } from '../support/full-run';

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

const aTag = fc.stringMatching(/^[A-HJKMNP-TV-Z][0-9A-HJKMNP-TV-Z]{3}$/);
const aTime = fc.date({
  min: new Date('2026-01-01T00:00:00Z'),
  max: new Date('2059-12-01T00:00:00Z'),
  noInvalidDate: true,
});
const anId = fc.tuple(aTag, aTime).map(([tag, time]) => generateTransactionId(tag, time));

describe('the check character (ISO 7064 MOD 37,36)', () => {
  test.each([
    // The example of the GRid Standard (IFPI): A1-2425G-ABC1234002-M.
    ['A12425GABC1234002', 'M'],
    // Calculated by hand: 36 → (36+10) mod 36 = 10, doubled 20 → (37 − 20) mod 36.
    ['A', 'H'],
    ['', '1'],
  ])('of "%s" is %s', (text, expected) => {
    expect(checkCharacter(text)).toBe(expected);
  });

  test("makes the standard's checksum 1", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9A-Z]{0,30}$/), (text) => {
        let product = 36;
        for (const character of text) {
          const sum = (product + letters.indexOf(character)) % 36;
          product = ((sum === 0 ? 36 : sum) * 2) % 37;
        }
        expect((product + letters.indexOf(checkCharacter(text))) % 36).toBe(1);
      }),
    );
  });

  test.each(['a', 'A B', 'É', '-', '\u0000'])('is not defined for %j', (text) => {
    expect(() => checkCharacter(text)).toThrow(RangeError);
  });
});

describe('a generated id', () => {
  test('has the tag, fifteen unambiguous characters and a valid check character', () => {
    fc.assert(
      fc.property(aTag, aTime, (tag, time) => {
        const id = generateTransactionId(tag, time);
        expect(id).toHaveLength(transactionIdLength);
        expect(id).toMatch(transactionIdPattern);
        expect(id).not.toMatch(/[ILOU]/);
        expect(id.slice(0, 4)).toBe(tag);
        expect(id.slice(14)).toBe(checkCharacter(id.slice(0, 14)));
      }),
    );
  });

  test('of a later second sorts after one of an earlier second', () => {
    fc.assert(
      fc.property(aTag, aTime, fc.integer({ min: 1, max: 1_000_000 }), (tag, time, seconds) => {
        const later = new Date(time.getTime() + seconds * 1_000);
        expect(generateTransactionId(tag, time) < generateTransactionId(tag, later)).toBe(true);
      }),
    );
  });

  test.each([
    ['2026-01-01T00:00:00.000Z', '000000'],
    ['2026-01-01T00:00:31.999Z', '00000Z'],
    ['2026-01-01T00:00:32.000Z', '000010'],
    ['2027-01-01T00:00:00.000Z', '0Y2CW0'],
  ])('at %s has the time %s', (time, text) => {
    expect(generateTransactionId('K7Q2', new Date(time)).slice(4, 10)).toBe(text);
  });

  test('keeps its form when the clock is before 2026 or after the last representable second', () => {
    for (const time of [
      '1970-01-01T00:00:00Z',
      '2025-12-31T23:59:59Z',
      '2060-01-11T00:00:00Z',
      '2100-01-01T00:00:00Z',
    ]) {
      const draw = (): string => generateTransactionId('K7Q2', new Date(time));
      // With a timeout that also interrupts an endless loop.
      expect(runInNewContext('draw()', { draw }, { timeout: 1_000 })).toMatch(transactionIdPattern);
    }
  });

  test('within one second is hardly ever generated twice', () => {
    const now = new Date('2026-06-01T00:00:00Z');
    const drawn = Array.from({ length: 1_000 }, () => generateTransactionId('K7Q2', now));
    // Of 1,048,576 possible texts: half a collision is expected, and ten practically never occur.
    expect(new Set(drawn).size).toBeGreaterThan(990);
  });

  test('uses every character of the alphabet in its random part', () => {
    const now = new Date('2026-06-01T00:00:00Z');
    const random = Array.from({ length: 1_000 }, () => generateTransactionId('K7Q2', now).slice(10, 14)).join(
      '',
    );
    expect([...new Set(random)].sort().join('')).toBe(crockford);
  });
});

test('a generated tag begins with a letter, so that no spreadsheet reads an id as a number', () => {
  for (let count = 0; count < 1_000; count += 1) {
    expect(generateTransactionTag()).toMatch(/^[A-HJKMNP-TV-Z][0-9A-HJKMNP-TV-Z]{3}$/);
  }
});

describe('parsing an id', () => {
  test('an id is parsed to itself and its tag', () => {
    fc.assert(
      fc.property(anId, (id) => {
        expect(parseTransactionId(id)).toEqual({ transactionId: id, tag: id.slice(0, 4) });
      }),
    );
  });

  test('case, spaces, hyphens, O for 0 and I or L for 1 do not matter', () => {
    const style = fc.record({
      isLower: fc.boolean(),
      zero: fc.constantFrom('0', 'O', 'o'),
      one: fc.constantFrom('1', 'I', 'i', 'L', 'l'),
      separator: fc.constantFrom('', ' ', '-', ' - ', '\u00a0'),
      group: fc.integer({ min: 1, max: 15 }),
    });
    fc.assert(
      fc.property(anId, style, (id, { isLower, zero, one, separator, group }) => {
        const cased = isLower ? id.toLowerCase() : id;
        const replaced = cased.replace(/0/g, zero).replace(/1/g, one);
        const written = replaced.replace(new RegExp(`(.{${group}})`, 'g'), `$1${separator}`);
        expect(parseTransactionId(written)?.transactionId).toBe(id);
      }),
    );
  });

  test.each([
    ...['', ' ', '-', '0', 'K7Q2', 'undefined', '[object Object]', '../../etc/passwd', "'; DROP TABLE x; --"],
    // A UUID, and an id whose tag would begin with a digit.
    ...['0190a3b4-5c6d-7e8f-9a0b-1c2d3e4f5a6b', `07Q20CR5M3V9XH${checkCharacter('07Q20CR5M3V9XH')}`],
    ...['Ｋ7Q20CR5M3V9XH2', 'K7Q2_0CR5M_3V9XH2', 'K7Q2.0CR5M.3V9XH2'],
  ])('"%s" is not an id', (text) => {
    expect(parseTransactionId(text)).toBeUndefined();
  });

  test('parsing never throws, and always returns the canonical spelling', () => {
    const unit = fc.nat(0x10_ffff).map((point) => String.fromCodePoint(point));
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit }), fc.stringMatching(/^[0-9A-Za-z -]{10,20}$/)), (text) => {
        const parsed = parseTransactionId(text);
        if (!parsed) return;
        expect(parsed.transactionId).toMatch(transactionIdPattern);
        expect(parseTransactionId(parsed.transactionId)).toEqual(parsed);
      }),
      { numRuns: randomCases(2_000) },
    );
  });
});

describe('a mistyped id', () => {
  test('with any one character replaced is rejected', () => {
    fc.assert(
      fc.property(anId, (id) => {
        const accepted: string[] = [];
        for (let at = 0; at < id.length; at += 1) {
          for (const other of crockford) {
            if (other === id.charAt(at)) continue;
            const mistyped = id.slice(0, at) + other + id.slice(at + 1);
            if (parseTransactionId(mistyped)) accepted.push(mistyped);
          }
        }
        expect(accepted).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  test('with a missing or additional character is rejected', () => {
    fc.assert(
      fc.property(anId, fc.nat(14), fc.nat(31), (id, at, digit) => {
        expect(parseTransactionId(id.slice(0, at) + id.slice(at + 1))).toBeUndefined();
        expect(parseTransactionId(id.slice(0, at) + crockford.charAt(digit) + id.slice(at))).toBeUndefined();
      }),
    );
  });

  /**
   * The standard's only blind spot: two neighbors are exchanged and the running sum is 18 with one
   * and 19 with the other. Doubling maps 18 and 19 to values that differ by as much as the two
   * characters do.
   */
  function isInBlindSpot(id: string, at: number): boolean {
    let product = 36;
    for (const character of id.slice(0, at)) {
      product = (((product + letters.indexOf(character)) % 36 || 36) * 2) % 37;
    }
    const sums = [at, at + 1].map((place) => (product + letters.indexOf(id.charAt(place))) % 36);
    return sums.sort().join() === '18,19';
  }

  test('with two neighbors exchanged is rejected, except for the blind spot of the standard', () => {
    const count = { exchanged: 0, missed: 0 };
    fc.assert(
      fc.property(anId, (id) => {
        const unexplained: string[] = [];
        for (let at = 0; at + 1 < id.length; at += 1) {
          const exchanged = id.slice(0, at) + id.charAt(at + 1) + id.charAt(at) + id.slice(at + 2);
          if (exchanged === id || !transactionIdPattern.test(exchanged)) continue;
          const isMissed = parseTransactionId(exchanged) !== undefined;
          count.exchanged += 1;
          count.missed += Number(isMissed);
          if (isMissed !== isInBlindSpot(id, at)) unexplained.push(exchanged);
        }
        expect(unexplained).toEqual([]);
      }),
      { numRuns: randomCases(2_000) },
    );
    // About one in 600 is missed.
    expect(count.missed / count.exchanged).toBeLessThan(0.005);
  });
});
