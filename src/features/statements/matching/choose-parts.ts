import { joinLines, type Payment, type StatedLine } from './join-lines';

/**
 * Whether a line counts as money. `certain`: it belongs to an entry. `possible`: it may repeat the
 * line of another entry. `none`: another statement states the same money.
 */
export type SourceUse = 'certain' | 'possible' | 'none';

/** How the parts of a batch entry in one statement count. */
export interface PartsUse {
  use: SourceUse;
  isCovered: boolean;
}

/** The parts of a batch entry in one statement, or the batch entry without parts. */
export interface StatedParts extends StatedLine {
  isWhole: boolean;
  /** Whether a preferred format states the payments of its days: see `isCovered`. */
  isCovered: boolean;
  /** Whether the bank's reference identifies the batch entry. */
  hasReference: boolean;
  /** The sum of the amounts. Several batch entries may have the same identity, so it can differ. */
  cents: bigint;
  /** The number of parts that name a contribution. */
  namedParts: number;
  /** The number of parts, or of equal batch entries without parts. */
  lines: number;
}

/** How the lines of a batch entry count. */
export interface BatchUse {
  /** Whether the batch entry counts although a statement has its parts. */
  isWholeKept: boolean;
  /** By `statementKey`. */
  parts: Map<string, PartsUse>;
}

export const statementKey = (fileId: string, statementNumber: number): string =>
  `${fileId} ${statementNumber}`;

/** Puts the best statement of the same parts first. */
function compareParts(one: StatedParts, other: StatedParts): number {
  return (
    Number(one.isWhole) - Number(other.isWhole) ||
    Number(other.isTrusted) - Number(one.isTrusted) ||
    (one.cents === other.cents ? 0 : one.cents > other.cents ? -1 : 1) ||
    other.namedParts - one.namedParts ||
    Number(other.isFinal) - Number(one.isFinal) ||
    (one.key < other.key ? -1 : 1)
  );
}

/**
 * Chooses the statement whose parts of a batch entry count, because the parts must count only once.
 * Each format may split a batch entry and wrap its texts differently. A statement that has the
 * batch entry without parts confirms the chosen parts.
 *
 * Parts without the bank's reference are counted like other lines without one.
 *
 * A batch entry with a decision counts instead of its parts, because the decision is about the same
 * money. Its parts count if a preferred format covers the batch entry. They also count if several
 * batch entries have its identity, because the parts can belong to any of them.
 *
 * @param stated the same batch entry in each statement
 */
export function chooseParts(stated: readonly StatedParts[], isDecided: boolean): BatchUse {
  const uses = new Map<string, PartsUse>();
  const put = (parts: StatedParts, use: SourceUse, isCovered: boolean): void => {
    if (!parts.isWhole) uses.set(statementKey(parts.fileId, parts.statementNumber), { use, isCovered });
  };
  for (const parts of stated) if (!parts.hasReference) put(parts, 'certain', parts.isCovered);
  const payments = joinLines(stated.filter(({ hasReference }) => hasReference));
  const kept = isDecided ? onlyWhole(payments) : undefined;
  for (const payment of payments) {
    const { lines, standing } = payment;
    if (payment === kept) {
      for (const parts of lines) put(parts, 'none', parts.isCovered);
      continue;
    }
    const [best, ...others] = [...lines].sort(compareParts);
    const isCovered = lines.every((line) => line.isCovered || !line.isTrusted);
    if (best) put(best, standing === 'proven' ? 'certain' : 'possible', isCovered);
    for (const other of others) put(other, 'none', isCovered);
  }
  return { isWholeKept: kept !== undefined, parts: uses };
}

/** The payment that a statement has as a batch entry without parts, if there is only one. */
function onlyWhole(payments: readonly Payment<StatedParts>[]): Payment<StatedParts> | undefined {
  const stated = payments.filter(({ lines }) => lines.some(({ isWhole }) => isWhole));
  const wholes = stated.flatMap(({ lines }) => lines.filter(({ isWhole }) => isWhole));
  const isOne = stated.length === 1 && wholes.every(({ lines }) => lines === 1);
  return isOne && wholes.some(({ isCovered }) => !isCovered) ? stated[0] : undefined;
}
