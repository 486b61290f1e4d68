import { hash } from 'node:crypto';

import {
  type EntryPart,
  type EntryProblem,
  isPlaceholder,
  type Statement,
  type StatementEntry,
} from '@contribution-service/bank-files';

import { findTransactionIds } from './find-transaction-ids';

const digestOf = (parts: readonly unknown[]): string => hash('sha256', JSON.stringify(parts), 'hex');
/** Removes spaces and line ends, because banks wrap the same text in different ways. */
const normalized = (texts: readonly string[]): string =>
  texts.map((text) => text.toUpperCase().replace(/\s+/g, '')).join('\n');

/** Whether a reference identifies anything. Short references and texts such as NONREF do not. */
const identifies = (reference: string | null): reference is string =>
  reference !== null && reference.length >= 4 && !isPlaceholder(reference);

/** An entry or a part of one, with its identity. */
export interface Line {
  part: EntryPart;
  entry: StatementEntry;
  statement: Statement;
  /** The number of the statement in the file, from 1. */
  number: number;
  /** The date of the entry, or otherwise the day of its statement: see `dayOfStatement`. */
  bookingDate: string | null;
  problem: EntryProblem | null;
  digest: string;
  parentDigest: string | null;
  hasReference: boolean;
  /** The sort key for equal lines. */
  text: string;
}

export type Identified = Omit<Line, 'digest' | 'hasReference' | 'text'>;

/** The identity of a line must not depend on the time of the upload, so accept ids of any time. */
const anyTime = { now: new Date(8_000_000_000_000_000) };

const idsOf = ({ references }: EntryPart): string =>
  [...findTransactionIds(references, anyTime).ids].sort().join(' ');

/**
 * The identity of a line without the bank's reference: the date and the transaction ids. A line
 * without ids has only its text, which is comparable only within one kind of statement.
 */
function plainIdentity({ part, bookingDate, statement }: Identified): readonly unknown[] {
  const ids = idsOf(part);
  return ids === '' ? [bookingDate, statement.kind, normalized(part.references)] : [bookingDate, 'ids', ids];
}

/** The identity of the batch entry, and what distinguishes this part from its other parts. */
const partIdentity = (part: EntryPart, parentDigest: string): readonly unknown[] => [
  'part',
  parentDigest,
  idsOf(part) || normalized(part.identifiers) || normalized(part.references),
];

const lineDigest = (part: EntryPart, problem: EntryProblem | null, identity: readonly unknown[]): string => {
  const amountCents = problem === 'unreadable' ? null : part.amountCents;
  return digestOf([part.direction, String(amountCents), part.currency, problem, ...identity]);
};

/**
 * Adds the identity of a line. The account, side and amount are always part of it. The rest is the
 * bank's own reference, or otherwise `plainIdentity`. An identity with a reference has no date: see
 * `joinLines`.
 */
export function identified(line: Identified): Line {
  const { part, entry, problem, parentDigest } = line;
  const hasReference = identifies(entry.bankReference) && problem !== 'unreadable';
  const identity =
    parentDigest !== null
      ? partIdentity(part, parentDigest)
      : hasReference
        ? ['reference', entry.bankReference]
        : plainIdentity(line);
  // Ignore wrong sums here, because another statement may have all parts of the batch entry.
  const kind = hasReference && problem === 'sums_differ' ? null : problem;
  const digest = lineDigest(part, kind, identity);
  return { ...line, digest, hasReference, text: normalized(part.references) };
}

/** The digest of the same line in a statement that omits the bank's references. */
export const plainDigestOf = (line: Identified, parentDigest: string | null): string =>
  lineDigest(
    line.part,
    line.problem,
    parentDigest === null ? plainIdentity(line) : partIdentity(line.part, parentDigest),
  );
