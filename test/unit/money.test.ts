import fc from 'fast-check';

import { formatCents, largestAmountCents, parseAmountToCents } from '../../src/shared/money';
import { randomCases } from '../support/full-run';

describe('parsing an amount', () => {
  test.each([
    ['0', 0n],
    ['0.01', 1n],
    ['0.1', 10n],
    ['0.10', 10n],
    ['1', 100n],
    ['10', 1_000n],
    ['10.5', 1_050n],
    ['10.50', 1_050n],
    ['0.29', 29n],
    ['1.15', 115n],
    ['4.35', 435n],
    ['1000000', 100_000_000n],
    ['1000000000.00', largestAmountCents],
    ['999999999999.99', 99_999_999_999_999n],
  ])('"%s" is %d cents', (text, cents) => {
    expect(parseAmountToCents(text)).toBe(cents);
  });

  test.each([
    ...['', ' ', '10 ', ' 10', '10\n', '\t10', '1 0', '+5', '-1', '--1', '-0', '$10', '10USD', '10 USD'],
    ...['.5', '5.', '.', '..', '1.2.3', '10.005', '10.000', '10,50', '1,000', "1'000", '1_000'],
    ...[
      '010',
      '00',
      '00.5',
      '1e3',
      '1E3',
      '0x10',
      '0b1',
      '1n',
      'NaN',
      'Infinity',
      'null',
      'undefined',
      'ten',
    ],
    ...['１０', '١٠', '²', '1000000000000', '9'.repeat(400)],
  ])('%j is not an amount', (text) => {
    expect(parseAmountToCents(text)).toBeUndefined();
  });

  test('never throws, and a parsed amount is formatted as the same decimal', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9.,+e -]{0,16}$/)), (text) => {
        const cents = parseAmountToCents(text);
        if (cents === undefined) return;
        const [dollars = '', decimals = ''] = text.split('.');
        expect(formatCents(cents)).toBe(`${dollars}.${decimals.padEnd(2, '0')}`);
      }),
      { numRuns: randomCases(5_000) },
    );
  });
});

describe('formatting an amount', () => {
  test.each([
    [0n, '0.00'],
    [1n, '0.01'],
    [10n, '0.10'],
    [99n, '0.99'],
    [100n, '1.00'],
    [1_050n, '10.50'],
    [largestAmountCents, '1000000000.00'],
    [-1n, '-0.01'],
    [-1_050n, '-10.50'],
    [123_456_789_012_345_678_901n, '1234567890123456789.01'],
  ])('%d cents are "%s"', (cents, text) => {
    expect(formatCents(cents)).toBe(text);
  });

  test('every amount that the schema allows keeps its value, where a float would lose cents', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: largestAmountCents }), (cents) => {
        expect(parseAmountToCents(formatCents(cents))).toBe(cents);
      }),
    );
  });
});

test('a JSON number with two decimals is parsed to its exact cents by its shortest decimal form', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000_000 }), (cents) => {
      const sent = JSON.parse(`${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`) as number;
      expect(parseAmountToCents(String(sent))).toBe(BigInt(cents));
    }),
  );
});
