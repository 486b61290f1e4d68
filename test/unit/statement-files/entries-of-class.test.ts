import type { ClassSource } from '../../../src/features/statements/matching/class-source';
import type { EntryNature } from '@contribution-service/bank-files';

import { entriesOfClass, entryIdOf } from '../../../src/features/statements/matching/entries-of-class';
import type { KnownContribution } from '../../../src/features/statements/matching/match-entry';

/** The entries of a class. Its lines have the same identifying values. */
const contributions = new Map<string, KnownContribution>(
  ['A', 'B', 'C', 'D'].map((transactionId) => [
    transactionId,
    { transactionId, environmentId: 1, amountCents: 25_00n },
  ]),
);
const known = {
  tags: new Set<string>(),
  contributions,
  settlements: new Map<string, KnownContribution[][]>(),
  returns: new Set<string>(),
  reset: { ids: new Set<string>(), references: new Set<string>() },
};

function line(id: string | undefined, occurrence: number, more: Partial<ClassSource> = {}): ClassSource {
  return {
    fileId: 'full',
    format: 'camt.053',
    use: 'certain',
    statementNumber: 1,
    startsAtMs: 0,
    endsAtMs: 86_400_000,
    isTimeKnown: true,
    madeAt: null,
    isFinal: true,
    isUnbalanced: false,
    isCovered: false,
    isDoubtful: false,
    startBalance: null,
    accountId: 'account',
    accountDirection: 'credit',
    occurrence,
    hasReference: true,
    direction: 'credit',
    amountCents: 25_00n,
    chargesCents: 0n,
    currency: 'USD',
    bookingDate: '2026-11-20',
    bankReference: 'ACH',
    problem: null,
    returnCode: null,
    search: {
      exact: id === undefined ? [] : [id],
      normalized: [],
      repaired: [],
      hasWrongCheckCharacter: false,
      identifiers: [],
    },
    ...more,
  };
}

const lines = (ids: string, more: Partial<ClassSource> = {}): ClassSource[] =>
  Array.from(ids, (id, at) => line(id, at + 1, more));
const derive = (sources: readonly ClassSource[]) =>
  entriesOfClass('class', sources, { known, decisions: new Map() });
const confirmed = (sources: readonly ClassSource[]): string[] =>
  derive(sources)
    .flatMap(({ allocations }) => allocations)
    .flatMap(({ transactionId, isConfirmed }) => (isConfirmed ? [transactionId] : []))
    .sort();

describe('payments to which a bank gives the same reference', () => {
  const partial = { fileId: 'partial', format: 'camt.052', isFinal: false };

  test('are each found in the whole day after a part of the day', () => {
    const all = [...lines('BD', partial), ...lines('ABCD')];
    expect(confirmed(all)).toEqual(['A', 'B', 'C', 'D']);
    expect(confirmed([...all].reverse())).toEqual(['A', 'B', 'C', 'D']);
  });

  test('count once if one statement has the reference of the payer and another has not', () => {
    const sources = [...lines('B', partial), line(undefined, 1), line('B', 2)];
    expect(confirmed(sources)).toEqual(['B']);
  });

  test('are confirmed only as far as a statement with right totals has them', () => {
    const unbalanced = { fileId: 'unbalanced', isUnbalanced: true };
    const entries = derive([...lines('ABC', unbalanced), ...lines('CD')]);
    expect(entries.map(({ standing }) => standing)).toEqual([
      'confirmed',
      'confirmed',
      'proposed',
      'proposed',
    ]);
    expect(confirmed([...lines('ABC', unbalanced), ...lines('CD')])).toEqual(['C', 'D']);
    expect(confirmed(lines('AB', unbalanced))).toEqual([]);
  });

  test('count once each if every statement has one, with and without the reference of the payer', () => {
    expect(confirmed([line(undefined, 1, partial), line('A', 1)])).toEqual(['A']);
  });
});

test.each([true, false])('equal lines are each read once (with a reference: %s)', (hasReference) => {
  let reads = 0;
  const sources = Array.from({ length: 2_000 }, (_, at) => {
    const source = line('A', at + 1, { hasReference });
    const { search } = source;
    return Object.defineProperty(source, 'search', {
      get() {
        reads += 1;
        return search;
      },
    });
  });
  expect(derive(sources)).toHaveLength(2_000);
  // The reads must not grow with the square of the lines: a file can have thousands.
  expect(reads).toBeLessThanOrEqual(sources.length * 10);
});

test.each([true, false])(
  'a decision about a line that another format covers does not count it (%s)',
  (isCovered) => {
    const notified = {
      fileId: 'notification',
      format: 'camt.054',
      isFinal: false,
      hasReference: false,
      isCovered,
    };
    const linked = { action: 'link' as const, allocations: [{ transactionId: 'A', cents: 25_00n }] };
    const decision = { last: linked, isDecided: false, lineKey: undefined };
    const [entry] = entriesOfClass('class', [line(undefined, 1, notified)], {
      known,
      decisions: new Map([[entryIdOf('class', 1), decision]]),
    });
    expect(entry).toMatchObject({
      outcome: isCovered ? 'proposed' : 'matched',
      allocations: [{ transactionId: 'A', confidence: 'decision', isConfirmed: !isCovered }],
    });
  },
);

describe('equal lines without the reference of the bank', () => {
  const debit = (more: Partial<ClassSource>, nature?: EntryNature): ClassSource => {
    const plain = line('A', 1, { hasReference: false, direction: 'debit', amountCents: 5_00n, ...more });
    return { ...plain, search: { ...plain.search, ...(nature && { nature }) } };
  };
  const outcomes = (sources: readonly ClassSource[]): string[] =>
    derive(sources)
      .map(({ outcome, reason, returnCode }) => [reason ?? outcome, returnCode ?? ''].join(' ').trim())
      .sort();
  const month = { fileId: 'month', startsAtMs: -86_400_000 };

  test.each<[string, ClassSource[], string[]]>([
    ['a charge and a return', [debit({}, 'charge'), debit({}, 'return')], ['bank_charge', 'returned']],
    ['a return and an unmarked one', [debit({}, 'return'), debit({})], ['proposed', 'returned']],
    [
      'a reason of a return and an unmarked one',
      [debit({ returnCode: 'R01' }), debit({})],
      ['proposed', 'returned R01'],
    ],
    [
      'two reasons and an unmarked one',
      [debit({ returnCode: 'R02' }), debit({}), debit({ returnCode: 'R01' }, 'return')],
      ['proposed', 'returned R01', 'returned R02'],
    ],
    ['a return that another statement does not mark', [debit({}, 'return'), debit(month)], ['returned']],
    [
      'a return that another statement gives a reason',
      [debit({}, 'return'), debit({}), debit({ ...month, returnCode: 'R01' }), debit(month)],
      ['proposed', 'returned R01'],
    ],
  ])('keep their own marks: %s', (_, sources, expected) => {
    expect(outcomes(sources)).toEqual(expected);
    expect(outcomes([...sources].reverse())).toEqual(expected);
  });

  test('a mark in a statement with wrong totals belongs to the entry of that statement', () => {
    const wrong = { fileId: 'next', startsAtMs: 86_400_000, endsAtMs: 172_800_000, isUnbalanced: true };
    const sources = [debit({}), debit(wrong, 'return')];
    for (const each of [sources, [...sources].reverse()]) {
      expect(derive(each).map(({ standing, outcome, reason }) => [standing, reason ?? outcome])).toEqual([
        ['confirmed', 'proposed'],
        ['proposed', 'proposed'],
      ]);
    }
  });

  const charged = (chargesCents: bigint, more: Partial<ClassSource> = {}): ClassSource =>
    line('A', 1, { hasReference: false, amountCents: 24_00n, chargesCents, ...more });
  const received = (sources: readonly ClassSource[]): bigint[] =>
    derive(sources).flatMap(({ allocations }) => allocations.map(({ cents }) => cents));

  test('keep their own charges, in any order', () => {
    const sources = [charged(0n), charged(1_00n)];
    expect(received(sources)).toEqual([25_00n, 24_00n]);
    expect(received([...sources].reverse())).toEqual([25_00n, 24_00n]);
  });

  test.each([true, false])(
    'keep charges that another statement omits (with a reference: %s)',
    (hasReference) => {
      const sources = [charged(1_00n, { hasReference }), charged(0n, { hasReference, ...month })];
      expect(received(sources)).toEqual([25_00n]);
      expect(received([...sources].reverse())).toEqual([25_00n]);
    },
  );
});
