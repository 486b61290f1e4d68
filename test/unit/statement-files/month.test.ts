import {
  PackedList,
  type Statement,
  type StatementEntry,
  type StatementFile,
} from '@contribution-service/bank-files';
import fc from 'fast-check';

import type { ClassSource } from '../../../src/features/statements/matching/class-source';
import { entriesOfClass } from '../../../src/features/statements/matching/entries-of-class';
import type { KnownContribution } from '../../../src/features/statements/matching/match-entry';
import { sourceEntriesOf } from '../../../src/features/statements/matching/source-entries';
import { timeOf } from '../../../src/features/statements/matching/statement-time';
import { groupBy } from '../../../src/shared/group-by';
import { composeTransactionId } from '../../../src/shared/transaction-id';
import { randomCases, takesAllRows } from '../../support/full-run';

/**
 * A month of statements gives the expected sums in any order and combination of files: whole days,
 * half days, weeks and repeats. The sums follow from the lines, so the test needs no database.
 */
const tag = 'K7Q2';
const issuedAt = new Date('2026-10-31T12:00:00Z');
const context = { tags: new Set([tag]), now: new Date('2026-12-31T00:00:00Z') };
const expectedCents = 25_00n;
const days = 21;
// Some numbers give no id.
const ids = Array.from({ length: 100 }, (_, number) => composeTransactionId(tag, issuedAt, number)).flatMap(
  (id) => id ?? [],
);
const idOf = (number: number): string => ids[number]!;

/** A real movement of money. */
interface Movement {
  contribution: number;
  cents: bigint;
  direction: 'credit' | 'debit';
  day: number;
  isAfternoon: boolean;
  /** Without a reference of the bank, equal movements have equal lines. */
  hasReference: boolean;
}

const movement = fc.record<Movement>({
  contribution: fc.integer({ min: 0, max: 5 }),
  // Few amounts, so that equal lines are frequent.
  cents: fc.constantFrom(expectedCents, expectedCents, 10_00n),
  direction: fc.constantFrom('credit', 'credit', 'debit'),
  day: fc.integer({ min: 0, max: days - 1 }),
  isAfternoon: fc.boolean(),
  hasReference: fc.boolean(),
});

/** The kinds of files that cover a day. Every choice contains all movements of the day. */
const coverage = fc.constantFrom('whole', 'halves', 'whole and halves', 'morning and whole');

const dateOf = (day: number): string => new Date(Date.UTC(2026, 10, 1 + day)).toISOString().slice(0, 10);

function entryOf(movement: Movement, number: number): StatementEntry {
  return {
    line: number,
    direction: movement.direction,
    amountCents: movement.cents,
    currency: 'USD',
    chargesCents: 0n,
    identifiers: [],
    references: [idOf(movement.contribution)],
    returnCode: movement.direction === 'debit' ? 'AC04' : null,
    isBooked: true,
    bookingDate: dateOf(movement.day),
    bankReference: movement.hasReference ? `AX-${number}` : null,
    parts: [],
    unreadable: null,
  };
}

function fileOf(from: string, to: string, entries: StatementEntry[]): StatementFile {
  const statement: Statement = {
    line: 1,
    id: null,
    accountNumber: 'account',
    accountEnding: null,
    kind: 'final',
    sequence: null,
    balances: [],
    page: null,
    fileOrder: null,
    madeAt: null,
    period: { from, to },
    currency: 'USD',
    openingCents: null,
    closingCents: null,
    balance: 'balanced',
    entries: new PackedList(entries),
  };
  return { format: 'camt.053', version: '08', statements: [statement], problems: [] };
}

/** The files in the form in which they are stored. */
function sourcesOf(file: StatementFile, fileId: string): (ClassSource & { digest: string })[] {
  const time = timeOf(file.statements[0]!);
  return [...sourceEntriesOf(file, [time], context).entries].map((source) => ({
    ...source,
    fileId,
    format: file.format,
    use: 'certain',
    startsAtMs: time.startsAtMs,
    endsAtMs: time.endsAtMs,
    isTimeKnown: time.isKnown,
    madeAt: null,
    isFinal: true,
    isUnbalanced: false,
    isCovered: false,
    isDoubtful: false,
    startBalance: null,
    accountId: 'account',
    accountDirection: 'credit',
  }));
}

const contributions = new Map<string, KnownContribution>(
  Array.from({ length: 6 }, (_, number): [string, KnownContribution] => [
    idOf(number),
    { transactionId: idOf(number), environmentId: 1, amountCents: expectedCents },
  ]),
);
const facts = {
  known: {
    tags: context.tags,
    contributions,
    settlements: new Map(),
    returns: new Set<string>(),
    reset: { ids: new Set<string>(), references: new Set<string>() },
  },
  decisions: new Map(),
};

/** The confirmed money of each contribution, by direction. */
function sumsOf(files: readonly StatementFile[]): Record<string, bigint> {
  const sources = files.flatMap((file, at) => sourcesOf(file, `file ${at}`));
  const sums: Record<string, bigint> = {};
  for (const [key, ofClass] of groupBy(sources, ({ digest }) => digest)) {
    for (const { allocations } of entriesOfClass(key, ofClass, facts)) {
      for (const { transactionId, kind, cents, isConfirmed } of allocations) {
        const name = `${transactionId} ${kind}`;
        if (isConfirmed) sums[name] = (sums[name] ?? 0n) + cents;
      }
    }
  }
  return sums;
}

function bookedSums(movements: readonly Movement[]): Record<string, bigint> {
  const sums: Record<string, bigint> = {};
  for (const { contribution, direction, cents } of movements) {
    const name = `${idOf(contribution)} ${direction === 'credit' ? 'payment' : 'return'}`;
    sums[name] = (sums[name] ?? 0n) + cents;
  }
  return sums;
}

/** All files of the month: each day in its form, and the weeks that are listed. */
function filesOf(
  movements: readonly Movement[],
  coverages: readonly string[],
  weeks: readonly number[],
): StatementFile[] {
  const entries = movements.map((one, at) => ({ one, entry: entryOf(one, at) }));
  const pick = (wanted: (one: Movement) => boolean): StatementEntry[] =>
    entries.filter(({ one }) => wanted(one)).map(({ entry }) => entry);
  const ofDays = coverages.flatMap((form, day) => {
    const date = dateOf(day);
    const [noon, end] = [`${date}T12:00:00`, `${dateOf(day + 1)}T00:00:00`];
    const whole = fileOf(
      date,
      date,
      pick((one) => one.day === day),
    );
    const morning = fileOf(
      `${date}T00:00:00`,
      noon,
      pick((one) => one.day === day && !one.isAfternoon),
    );
    const afternoon = fileOf(
      noon,
      end,
      pick((one) => one.day === day && one.isAfternoon),
    );
    if (form === 'whole') return [whole];
    if (form === 'halves') return [morning, afternoon];
    return form === 'whole and halves' ? [whole, morning, afternoon] : [morning, whole];
  });
  const ofWeeks = weeks.map((week) =>
    fileOf(
      dateOf(week * 7),
      dateOf(week * 7 + 6),
      pick((one) => Math.floor(one.day / 7) === week),
    ),
  );
  return [...ofDays, ...ofWeeks];
}

const numRuns = takesAllRows ? 10_000 : randomCases(200);

test('a month of statements in any order, overlapping and repeated, gives the expected sums', () => {
  fc.assert(
    fc.property(
      fc.array(movement, { maxLength: 40 }),
      fc.array(coverage, { minLength: days, maxLength: days }),
      fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 3 }),
      fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
      (movements, coverages, weeks, random) => {
        const files = filesOf(movements, coverages, weeks);
        const again = files.filter(() => (random.next().value as number) < 0.2);
        const shuffled = [...files, ...again]
          .map((file) => ({ file, place: random.next().value as number }))
          .sort((one, other) => one.place - other.place)
          .map(({ file }) => file);
        expect(sumsOf(shuffled)).toEqual(bookedSums(movements));
      },
    ),
    { numRuns },
  );
});

test('a part of the files never gives more money than was booked', () => {
  fc.assert(
    fc.property(
      fc.array(movement, { maxLength: 40 }),
      fc.array(coverage, { minLength: days, maxLength: days }),
      fc.array(fc.boolean(), { minLength: 3 * days, maxLength: 3 * days }),
      (movements, coverages, kept) => {
        const booked = bookedSums(movements);
        const some = filesOf(movements, coverages, [0]).filter((_, at) => kept[at]);
        for (const [name, cents] of Object.entries(sumsOf(some))) {
          expect(cents).toBeLessThanOrEqual(booked[name] ?? 0n);
        }
      },
    ),
    { numRuns },
  );
});
