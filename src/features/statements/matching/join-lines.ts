import { groupBy } from '../../../shared/group-by';
import { isIssuedAgain, isNumberedDay, latestEndOf } from './statement-time';

/**
 * Decides which lines are the same payment.
 *
 * A line is identified by its account, side, amount and the bank's own reference. Lines with equal
 * identities in several statements are the same payment, except in these cases:
 *
 * - They are in one statement. Some banks give the same reference to several payments.
 * - They name different contributions.
 * - They are in statements of one format, and have different dates or different references of the
 *   payer. Other formats may state another date: the day in UTC, or the day of the notification.
 *
 * These cases show that the lines differ, but not that both payments were made. A payment is proven
 * in two cases only. Either one statement has all of the payments, or the statements that have it
 * do not overlap the statements that lack it. Statements of two formats always overlap. A payment
 * that is not proven is never confirmed.
 *
 * Lines without the bank's reference are counted: see `countEntries`. The parts of a batch entry
 * are taken from one statement: see `chooseParts`.
 */
export interface StatedLine {
  fileId: string;
  statementNumber: number;
  format: string;
  startsAtMs: number;
  endsAtMs: number;
  /** Whether its time can be compared with the times of other statements. */
  isTimeKnown: boolean;
  /** See `ClassSource`. */
  startBalance: string | null;
  isFinal: boolean;
  /** Whether its totals are correct and its entries are final. */
  isTrusted: boolean;
  bookingDate: string | null;
  /** The transaction ids that the line names. */
  ids: readonly string[];
  /** The payer's references. */
  identifiers: readonly string[];
  /** The sort key for lines of a statement, and for statements. */
  key: string;
}

export interface Payment<Line> {
  lines: Line[];
  /**
   * `proven`: it is not one of the other payments. `different`: it names other contributions, but
   * may be a part of another payment. `possible`: it may be one of the other payments.
   */
  standing: 'proven' | 'different' | 'possible';
}

/** Final formats come first, because they state each payment once. */
const formats = ['camt.053', 'bai2', 'csv', 'camt.052', 'camt.054'];

/**
 * The maximum number of payments to look at for a line, and for all lines of a class: the latter
 * takes less than a second. Beyond them, a line is a possible repeat.
 */
const mostComparisons = 1_000;
const mostComparisonsOfClass = 10_000_000;

interface Stated<Line> {
  first: StatedLine;
  lines: Line[];
}

/** The payments that a statement lacks. */
interface Absent<Line> {
  /** The statements that have them. */
  statements: ReadonlySet<Stated<Line>>;
  /** Whether each of them names a contribution. */
  areNamed: boolean;
  /** Whether one of them names this contribution. */
  names(id: string): boolean;
}

interface Candidate<Line> extends Payment<Line> {
  ids: Set<string>;
  /** The exact values (`cellOf`) that its lines state. */
  cells: Set<string>;
  /** The values that each format states. */
  byFormat: Map<string, { date: string | null; identifiers: Set<string> }>;
  statements: Set<Stated<Line>>;
}

const rankOf = ({ isFinal, isTrusted, format }: StatedLine): number =>
  (isTrusted ? (isFinal ? 0 : 100) : 200) + (formats.indexOf(format) + 1 || 99);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** The statements, with the most lines first. The order does not depend on the order of uploads. */
function statementsOf<Line extends StatedLine>(lines: readonly Line[]): Stated<Line>[] {
  const grouped = groupBy(lines, ({ fileId, statementNumber }) => `${fileId} ${statementNumber}`);
  const keyed = [...grouped.values()].flatMap((ofStatement) => {
    const [first] = ofStatement;
    if (!first) return [];
    const sorted = [...ofStatement].sort((one, other) => compare(one.key, other.key));
    const time = `${first.startsAtMs} ${first.endsAtMs}`;
    return [{ first, lines: sorted, key: `${time} ${sorted.map(({ key }) => key).join()}` }];
  });
  return keyed.sort(
    (one, other) =>
      rankOf(one.first) - rankOf(other.first) ||
      other.lines.length - one.lines.length ||
      compare(one.key, other.key),
  );
}

/** Whether a line of both may be one payment. Numbers distinguish the statements of a day. */
const overlap = (one: StatedLine, other: StatedLine): boolean =>
  isNumberedDay(one) && isNumberedDay(other)
    ? one.startsAtMs === other.startsAtMs
    : one.startsAtMs < latestEndOf(other) && other.startsAtMs < latestEndOf(one);

/** The values that are equal for lines that state exactly the same. */
const cellOf = ({ bookingDate, ids, identifiers }: StatedLine): string =>
  JSON.stringify([bookingDate, ids.length > 0 ? [...ids].sort() : [...identifiers].sort()]);

class Payments<Line extends StatedLine> {
  readonly all: Candidate<Line>[] = [];
  readonly #byCell = new Map<string, Candidate<Line>[]>();
  readonly #byId = new Map<string, Set<Candidate<Line>>>();
  /** The payments that name no contribution. */
  readonly #unnamed = new Set<Candidate<Line>>();
  #comparisons = 0;

  /** Finds a payment with exactly the same values. Each call for a cell continues the search. */
  equal(line: Line, taken: ReadonlySet<Candidate<Line>>, searched: Map<string, number>) {
    const cell = cellOf(line);
    const payments = this.#byCell.get(cell) ?? [];
    let at = searched.get(cell) ?? 0;
    while (at < payments.length && taken.has(payments[at] as Candidate<Line>)) at += 1;
    searched.set(cell, at + 1);
    return payments[at];
  }

  /** @returns the most similar payment that may be the same */
  similar(line: Line, taken: ReadonlySet<Candidate<Line>>): Candidate<Line> | undefined {
    let best: { payment: Candidate<Line>; score: number } | undefined;
    let compared = 0;
    for (const payment of this.#candidatesFor(line)) {
      if ((this.#comparisons += 1) > mostComparisonsOfClass) return undefined;
      if (taken.has(payment)) continue;
      const score = similarity(line, payment);
      if (score > (best?.score ?? -1)) best = { payment, score };
      if ((compared += 1) >= mostComparisons || score === highestSimilarity) break;
    }
    return best?.payment;
  }

  /** The payments that a statement lacks. Undefined if there were too many comparisons. */
  absent(taken: ReadonlySet<Candidate<Line>>): Absent<Line> | undefined {
    if ((this.#comparisons += this.all.length) > mostComparisonsOfClass) return undefined;
    const statements = new Set<Stated<Line>>();
    for (const payment of this.all) {
      if (!taken.has(payment)) for (const statement of payment.statements) statements.add(statement);
    }
    const isTaken = (payment: Candidate<Line>): boolean => taken.has(payment);
    return {
      statements,
      areNamed: [...this.#unnamed].every(isTaken),
      names: (id) => ![...(this.#byId.get(id) ?? [])].every(isTaken),
    };
  }

  /**
   * The payments that this line may state: those that share an id with it, or else those that name
   * none. For a line without ids, all.
   */
  #candidatesFor({ ids }: Line): Iterable<Candidate<Line>> {
    if (ids.length === 0) return this.all;
    const sharing = new Set(ids.flatMap((id) => [...(this.#byId.get(id) ?? [])]));
    return sharing.size > 0 ? sharing : this.#unnamed;
  }

  join(line: Line, payment: Candidate<Line>): void {
    payment.lines.push(line);
    const stated = payment.byFormat.get(line.format) ?? { date: null, identifiers: new Set<string>() };
    stated.date ??= line.bookingDate;
    for (const identifier of line.identifiers) stated.identifiers.add(identifier);
    payment.byFormat.set(line.format, stated);
    for (const id of line.ids) {
      payment.ids.add(id);
      const known = this.#byId.get(id);
      if (known) known.add(payment);
      else this.#byId.set(id, new Set([payment]));
    }
    if (payment.ids.size === 0) this.#unnamed.add(payment);
    else this.#unnamed.delete(payment);
    const cell = cellOf(line);
    if (payment.cells.has(cell)) return;
    payment.cells.add(cell);
    const known = this.#byCell.get(cell);
    if (known) known.push(payment);
    else this.#byCell.set(cell, [payment]);
  }

  add(line: Line, standing: Payment<Line>['standing'], statement: Stated<Line>): void {
    const payment: Candidate<Line> = {
      lines: [],
      standing,
      ids: new Set(),
      cells: new Set(),
      byFormat: new Map(),
      statements: new Set([statement]),
    };
    this.all.push(payment);
    this.join(line, payment);
  }
}

const shares = (values: readonly string[], others: ReadonlySet<string>): boolean =>
  values.some((value) => others.has(value));

/** The similarity of the same id and the same date. */
const highestSimilarity = 3;

/** @returns -1 if the line is not this payment */
function similarity<Line extends StatedLine>(line: Line, payment: Candidate<Line>): number {
  const isSameId = shares(line.ids, payment.ids);
  if (!isSameId && line.ids.length > 0 && payment.ids.size > 0) return -1;
  const stated = payment.byFormat.get(line.format);
  const isOtherDate = line.bookingDate !== null && (stated?.date ?? line.bookingDate) !== line.bookingDate;
  const isOtherPayer =
    line.identifiers.length > 0 &&
    (stated?.identifiers.size ?? 0) > 0 &&
    !shares(line.identifiers, stated?.identifiers ?? new Set());
  if (isOtherDate || (isOtherPayer && !isSameId)) return -1;
  const dates = [...payment.byFormat.values()].map(({ date }) => date);
  return (isSameId ? 2 : 0) + (dates.includes(line.bookingDate) ? 1 : 0);
}

/** The standing of a line that no known payment matches. */
function standingOf<Line extends StatedLine>(
  line: Line,
  { first }: Stated<Line>,
  absent: Absent<Line> | undefined,
): Payment<Line>['standing'] {
  if (!absent) return 'possible';
  const isNamed = absent.areNamed && line.ids.length > 0 && !line.ids.some((id) => absent.names(id));
  const isApart = [...absent.statements].every(
    ({ first: other }) =>
      other.format === first.format &&
      !overlap(first, other) &&
      (isNamed || !isIssuedAgain(first, other)) &&
      ((first.isFinal && other.isFinal) || (isNamed && first.isTimeKnown && other.isTimeKnown)),
  );
  return isApart ? 'proven' : isNamed ? 'different' : 'possible';
}

/**
 * Joins the lines of a class that are the same payment. The result depends only on the set of
 * lines. The payments follow the order of their statements: final and trusted ones first.
 */
export function joinLines<Line extends StatedLine>(lines: readonly Line[]): Payment<Line>[] {
  const payments = new Payments<Line>();
  for (const statement of statementsOf(lines)) {
    const taken = new Set<Candidate<Line>>();
    const searched = new Map<string, number>();
    const put = (line: Line, payment: Candidate<Line> | undefined): boolean => {
      if (!payment) return false;
      taken.add(payment);
      payment.statements.add(statement);
      payments.join(line, payment);
      return true;
    };
    const unequal = statement.lines.filter((line) => !put(line, payments.equal(line, taken, searched)));
    // Match the lines that name contributions first.
    const ordered = [...unequal].sort((one, other) => other.ids.length - one.ids.length);
    const further = ordered.filter((line) => !put(line, payments.similar(line, taken)));
    if (further.length === 0) continue;
    const absent = payments.absent(taken);
    const judged = further.map((line) => ({ line, standing: standingOf(line, statement, absent) }));
    for (const { line, standing } of judged) payments.add(line, standing, statement);
  }
  return payments.all;
}
