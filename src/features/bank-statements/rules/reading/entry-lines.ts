import {
  type EntryPart,
  type EntryProblem,
  signedCents,
  type StatementEntry,
} from '@contribution-service/bank-files';

/** A line of an entry: the entry itself, one of its parts, or its charge. */
export interface EntryLine {
  part: EntryPart;
  cents: bigint;
  problem: EntryProblem | null;
  isPart: boolean;
}

type Amounted = EntryPart & { amountCents: bigint };

/** The parts with their amounts in the currency of the entry. */
function amountedParts({ parts, currency }: StatementEntry): Amounted[] {
  return parts.flatMap((part) => {
    const amountCents = part.currency === currency ? part.amountCents : (part.counter?.cents ?? null);
    return amountCents === null ? [] : [{ ...part, currency, amountCents }];
  });
}

/** The charge that the bank deducted from the whole entry. */
const chargeOf = (entry: StatementEntry): Amounted => ({
  ...{ line: entry.line, currency: entry.currency, amountCents: entry.chargesCents, chargesCents: 0n },
  ...{ direction: entry.direction === 'credit' ? 'debit' : 'credit', nature: 'charge' },
  ...{ identifiers: [], references: [], returnCode: null },
});

/**
 * Parts replace their entry if they add up to it: as the bank states them or their counter values,
 * minus their charges, or with the charge of the entry as one more line.
 */
function partsOf(entry: StatementEntry): Amounted[] | undefined {
  const own = amountedParts(entry);
  if (own.length < entry.parts.length) return undefined;
  const net = own.map((part) => ({
    ...part,
    amountCents: part.amountCents - part.chargesCents,
    statedCents: part.amountCents,
  }));
  const whole = signedCents(entry.direction, entry.amountCents);
  return [own, net, [...own, chargeOf(entry)]].find(
    (parts) =>
      parts.every(({ amountCents }) => amountCents >= 0n) &&
      parts.reduce((sum, { direction, amountCents }) => sum + signedCents(direction, amountCents), 0n) ===
        whole,
  );
}

/** An entry with the texts of its parts too. */
function withTextsOf(parts: readonly EntryPart[], entry: StatementEntry): StatementEntry {
  const all = (name: 'references' | 'furtherReferences' | 'identifiers'): string[] =>
    [...parts, entry].flatMap((one) => one[name] ?? []);
  return {
    ...{ ...entry, references: all('references'), identifiers: all('identifiers') },
    furtherReferences: all('furtherReferences'),
  };
}

/** The entry with what its only part states, which has no amount of its own. */
const describedBy = (part: EntryPart, entry: StatementEntry): StatementEntry => ({
  ...withTextsOf([part], entry),
  chargesCents: part.chargesCents > 0n ? part.chargesCents : entry.chargesCents,
  statedCents: part.statedCents ?? entry.statedCents,
  returnCode: part.returnCode ?? entry.returnCode,
  nature: part.nature ?? entry.nature,
  code: part.code ?? entry.code,
});

/** The lines of an entry. An entry whose parts do not add up to it stays whole, with a problem. */
export function entryLines(entry: StatementEntry): EntryLine[] {
  const whole = (part: StatementEntry, problem: EntryProblem | null = null): EntryLine[] => [
    { part, cents: part.amountCents, problem, isPart: false },
  ];
  if (entry.unreadable !== null) return whole(entry, 'unreadable');
  if (!entry.isBooked) return whole(entry, 'not_booked');
  if (entry.currency !== 'USD') return whole(entry, 'other_currency');
  const [first, ...others] = entry.parts;
  if (!first) return whole(entry);
  if (others.length === 0 && !first.amountCents) return whole(describedBy(first, entry));
  const parts = partsOf(entry);
  if (!parts) return whole(withTextsOf(entry.parts, entry), 'sums_differ');
  return parts.map((part) => ({ part, cents: part.amountCents, problem: null, isPart: true }));
}
