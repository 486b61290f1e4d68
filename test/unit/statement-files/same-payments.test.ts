import type { StatementFile } from '@contribution-service/bank-files';
import fc from 'fast-check';

import type { KnownContribution } from '../../../src/features/statements/matching/match-entry';
import { derivedEntries } from '../../support/derived-entries';
import { randomCases, takesAllRows } from '../../support/full-run';
import {
  type Booking,
  booking,
  context,
  coverage,
  dailyFiles,
  days,
  expectedCents,
  idOf,
  ids,
  instructionOf,
  type Numbered,
  numbered,
  otherFiles,
  others,
} from './bookings';

/**
 * Each payment counts once, in any combination of statements, formats and references. Two payments
 * never become one.
 */
const contributions = new Map<string, KnownContribution>(
  ids.map((transactionId) => [
    transactionId,
    { transactionId, environmentId: 1, amountCents: expectedCents },
  ]),
);

const settlementsOf = (bookings: readonly Numbered[]): Map<string, KnownContribution[][]> =>
  new Map(
    bookings.flatMap((one) =>
      one.parts.map(({ contribution }, at): [string, KnownContribution[][]] => [
        instructionOf(one, at),
        [[contributions.get(idOf(contribution))!]],
      ]),
    ),
  );

/** The confirmed money of each contribution, by direction. */
function confirmedSums(booked: readonly Numbered[], files: readonly StatementFile[]): Record<string, bigint> {
  const sums: Record<string, bigint> = {};
  const settlements = settlementsOf(booked);
  const known = {
    tags: context.tags,
    contributions,
    settlements,
    returns: new Set<string>(),
    reset: { ids: new Set<string>(), references: new Set<string>() },
  };
  for (const { allocations } of derivedEntries(files, known, context)) {
    for (const { transactionId, kind, cents, isConfirmed } of allocations) {
      const name = `${transactionId} ${kind}`;
      if (isConfirmed) sums[name] = (sums[name] ?? 0n) + cents;
    }
  }
  return sums;
}

/** Amounts that differ from the expected one confirm only exact ids. Here, the ids are in texts. */
const isConfirmable = ({ cents }: Booking['parts'][number]): boolean => cents === expectedCents;

function bookedSums(bookings: readonly Booking[]): Record<string, bigint> {
  const sums: Record<string, bigint> = {};
  for (const { parts, direction } of bookings) {
    for (const given of parts.filter(isConfirmable)) {
      const name = `${idOf(given.contribution)} ${direction === 'credit' ? 'payment' : 'return'}`;
      sums[name] = (sums[name] ?? 0n) + given.cents;
    }
  }
  return sums;
}

const shuffled = <Item>(items: readonly Item[], places: readonly number[]): Item[] =>
  items
    .map((item, at) => ({ item, place: places[at % places.length] ?? 0 }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);

const numRuns = takesAllRows ? 10_000 : randomCases(200);
const bookings = fc.array(booking, { maxLength: 16 }).map(numbered);
const forms = fc.array(coverage, { minLength: days, maxLength: days });
const places = fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 60, maxLength: 60 });

test('complete statements give the booked sums, whatever other files state the same money', () => {
  fc.assert(
    fc.property(bookings, forms, others, places, (booked, ofDays, names, order) => {
      const files = [
        ...ofDays.flatMap((form, day) => dailyFiles(booked, day, form)),
        ...names.flatMap((name) => otherFiles(booked, name)),
      ];
      const again = files.filter((_, at) => (order[at % order.length] ?? 0) % 5 === 0);
      expect(confirmedSums(booked, shuffled([...files, ...again], order))).toEqual(bookedSums(booked));
    }),
    { numRuns },
  );
});

test('some of the files never give more money than was booked', () => {
  fc.assert(
    fc.property(
      bookings,
      forms,
      others,
      fc.array(fc.boolean(), { minLength: 80, maxLength: 80 }),
      (booked, ofDays, names, kept) => {
        const files = [
          ...ofDays.flatMap((form, day) => dailyFiles(booked, day, form)),
          ...names.flatMap((name) => otherFiles(booked, name)),
        ].filter((_, at) => kept[at % kept.length]);
        const sums = bookedSums(booked);
        for (const [name, cents] of Object.entries(confirmedSums(booked, files))) {
          expect(cents).toBeLessThanOrEqual(sums[name] ?? 0n);
        }
      },
    ),
    { numRuns },
  );
});
