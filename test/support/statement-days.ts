import { type CsvMapping, readStatementFile } from '@contribution-service/bank-files';

import {
  type DecidableLine,
  type LineDecision,
  lineKey,
  placeDecisions,
} from '../../src/features/bank-statements/rules/counting/decisions';
import { judgeDay, type JudgedDay } from '../../src/features/bank-statements/rules/counting/judge-day';
import type { JudgedLine } from '../../src/features/bank-statements/rules/counting/judge-line';
import { stateOfReported } from '../../src/features/bank-statements/rules/counting/line-state';
import {
  batchKey,
  bucketKey,
  type DayLine,
  indexNearLines,
  isNear,
  moneyKey,
  type NearLine,
  type NearLines,
  statementKey,
} from '../../src/features/bank-statements/rules/counting/near-lines';
import {
  changedAfterClose,
  type DaySummary,
  keepsBalances,
  summaryOf,
} from '../../src/features/bank-statements/rules/days/day-summary';
import { type CalendarDay, calendarOf } from '../../src/features/bank-statements/rules/days/calendar';
import { reconcile, termsOf } from '../../src/features/bank-statements/rules/days/reconciliation';
import { hasProblems } from '../../src/features/bank-statements/reading/read-file';
import { createSearch } from '../../src/features/bank-statements/reading/search-ids';
import { changeBetween } from '../../src/features/bank-statements/rules/versions/compare-lines';
import { readStatement } from '../../src/features/bank-statements/rules/reading/read-statement';
import {
  isMoney,
  type StatementDay,
  type StatementHead,
  type StatementLine,
} from '../../src/features/bank-statements/rules/reading/statement';
import {
  type Answers,
  chooseVersion,
  type DayChoice,
  lineRef,
  type VersionAnswer,
} from '../../src/features/bank-statements/rules/versions/choose-version';
import { hasBalances } from '../../src/features/bank-statements/rules/versions/day-version';
import type { Known, KnownContribution } from '../../src/features/bank-statements/contributions/match-entry';
import { bucketOf, seriesIn } from '../../src/features/bank-statements/days/buckets';
import { createNumbering } from '../../src/features/bank-statements/statements/number-equal-lines';

/** The distance within which the rules look at other lines: see the README of the rules. */
const windowDays = 28;

/** The parts of `account_days` and `allocations` that a day has. */
interface StoredDay {
  choice: DayChoice | undefined;
  row: DaySummary | undefined;
  judged: JudgedDay;
  unplaced: readonly LineDecision[];
}

interface Statement {
  head: StatementHead;
  days: StatementDay[];
  lines: DayLine[];
}

export interface KnownPayments {
  contributions: readonly KnownContribution[];
  /** By reference: contributions that one transfer pays. */
  settlements?: Readonly<Record<string, readonly KnownContribution[]>>;
  /** Recorded returns: see `returnKey`. */
  returns?: readonly string[];
}

const keysOf = (line: DayLine): string[] => [...new Set([moneyKey(line), batchKey(line)])];

/** In a closed month, a version stays if the new one has other lines or balances, or a question. */
function keptAfterClose(closed: DayChoice, now: DayChoice): DayChoice {
  const { gone, added } = changeBetween(closed.version.lines, now.version.lines);
  if (gone + added === 0 && keepsBalances(closed.version, now)) return closed;
  return { ...closed, question: changedAfterClose(now.version.key, closed.version.key) };
}

/** A line in its bucket, as the storage numbers it. */
function createPlacing() {
  const number = createNumbering();
  return (line: StatementLine, statement: StatementHead): DayLine => {
    const { occurrence } = number(line);
    const key = bucketKey(line);
    return {
      ...line,
      statement,
      bucket: bucketOf(key, occurrence),
      series: seriesIn(bucketOf(key, occurrence), key),
    };
  };
}

/** Plays the storage of one account in memory: it loads only what the rules ask for. */
export class StatementDays {
  readonly statements = new Map<string, Statement>();
  readonly stored = new Map<string, StoredDay>();
  readonly #byKey = new Map<string, Set<DayLine>>();
  readonly #answers = new Map<string, VersionAnswer[]>();
  readonly #closed = new Map<string, DayChoice>();
  readonly #dirty = new Set<string>();
  readonly accepted = new Set<string>();
  readonly decisions = new Map<string, LineDecision>();
  remembered: Answers['remembered'] = null;
  accountDirection: 'credit' | 'debit' = 'credit';
  readonly known: Known;
  #files = 0;

  constructor(
    { contributions, settlements = {}, returns = [] }: KnownPayments,
    public now = new Date('2026-12-15T00:00:00Z'),
  ) {
    this.known = {
      tags: new Set(contributions.map(({ transactionId }) => transactionId.slice(0, 4))),
      contributions: new Map(contributions.map((one) => [one.transactionId, one])),
      settlements: new Map(Object.entries(settlements).map(([reference, group]) => [reference, [group]])),
      returns: new Set(returns),
      reset: { ids: new Set(), references: new Set() },
    };
  }

  /**
   * Stores the statements of an account in a file, as an upload does. Returns the id of the file.
   */
  upload(content: string, { mapping, account }: { mapping?: CsvMapping; account?: string } = {}): string {
    const file = readStatementFile(Buffer.from(content), mapping);
    const fileId = `F${(this.#files += 1)}`;
    const search = createSearch({ tags: this.known.tags, now: this.now });
    for (const [at, statement] of file.statements.entries()) {
      if (account !== undefined && statement.accountNumber !== account) continue;
      const statementId = `${fileId}/${at + 1}`;
      const reading = readStatement(statement, {
        statementId,
        format: file.format,
        hasProblems: hasProblems(file, at),
        uploadedOn: this.now.toISOString().slice(0, 10),
        search,
      });
      const placed = createPlacing();
      const read = [...reading.lines];
      const { head, days } = reading.end();
      this.statements.set(statementId, {
        head,
        days,
        lines: read.map((line) => placed(line, head)),
      });
      this.#touch(statementId, true);
    }
    return fileId;
  }

  void(fileId: string): void {
    for (const statementId of [...this.statements.keys()].filter((id) => id.startsWith(`${fileId}/`))) {
      this.#touch(statementId, false);
      this.statements.delete(statementId);
    }
  }

  /** Marks the days of a statement, and the days that have lines with the same money. */
  #touch(statementId: string, isAdded: boolean): void {
    const { days, lines } = this.statements.get(statementId)!;
    for (const { day } of days) this.#dirty.add(day);
    for (const line of lines) {
      for (const key of keysOf(line)) {
        const same = this.#byKey.get(key) ?? new Set();
        this.#byKey.set(key, same);
        if (isAdded) same.add(line);
        else for (const one of same) if (lineRef(one) === lineRef(line)) same.delete(one);
      }
    }
  }

  answer(day: string, answer: VersionAnswer): void {
    this.#answers.set(day, [...(this.#answers.get(day) ?? []), answer]);
    this.#dirty.add(day);
  }

  /** Closes the month of a day: its version stays until an answer. */
  close(day: string): void {
    this.work();
    this.#closed.set(day, this.stored.get(day)!.choice!);
  }

  decide(key: string, decision: Pick<LineDecision, 'action' | 'allocations'>): void {
    const { line } = this.lines().find(({ key: own }) => own === key)!;
    const { day, direction, cents, reference, digest } = line;
    const occurrence = Number(key.split(' ').at(-1));
    const { content } = line;
    const canMove =
      isMoney(line) &&
      this.lines().every(
        (one) => one.key === key || moneyKey(one.line) !== moneyKey(line) || !isNear(one.line.day, day),
      );
    this.decisions.set(key, {
      ...{ day, direction, cents, reference, digest, content, occurrence, canMove },
      ...decision,
    });
    this.#dirty.add(day);
  }

  /**
   * Does the work of all dirty days: the versions, then the lines of all days that depend on them.
   */
  work(): void {
    if (this.#dirty.size === 0) return;
    const changed = new Set(this.#dirty);
    this.#dirty.clear();
    for (const day of changed) this.#choose(day);
    for (const day of this.#dependent(changed)) this.#judge(day);
  }

  #statementsOf(day: string): Statement[] {
    return [...this.statements.values()].filter(({ days }) => days.some((one) => one.day === day));
  }

  #choose(day: string): void {
    const loaded = this.#statementsOf(day)
      .filter(({ head }) => head.isFinal)
      .map(({ days, lines }) => ({
        ...days.find((one) => one.day === day)!,
        lines: lines.filter((line) => line.day === day),
      }));
    const now = chooseVersion(loaded, { day: this.#answers.get(day) ?? [], remembered: this.remembered });
    const closed = this.#closed.get(day);
    const choice = closed && now ? keptAfterClose(closed, now) : now;
    const before = this.stored.get(day);
    const none = { judged: { judged: new Map(), replaced: [] }, unplaced: [] };
    this.stored.set(day, { ...(before ?? none), choice, row: choice && summaryOf(day, choice) });
  }

  /** The days whose lines must be judged again: the next one, and those with the same money. */
  #dependent(changed: ReadonlySet<string>): Set<string> {
    const dependent = new Set<string>();
    const days = this.rows().map(({ day }) => day);
    for (const day of changed) {
      dependent.add(day);
      const next = days.find((one) => one > day);
      if (next !== undefined) dependent.add(next);
      const before = this.stored.get(day)?.judged;
      const lines = [
        ...this.#statementsOf(day).flatMap((one) => one.lines.filter((line) => line.day === day)),
        ...[...(before?.judged.values() ?? [])].map(({ line }) => line as DayLine),
        ...(before?.replaced ?? []).map(({ line }) => line),
      ];
      const decided = [...this.decisions.values()].filter((one) => one.day === day);
      for (const key of new Set([...lines.flatMap(keysOf), ...decided.map(moneyKey)])) {
        for (const line of this.#byKey.get(key) ?? [])
          if (isNear(line.day, day, windowDays)) dependent.add(line.day);
        for (const one of this.decisions.values()) if (moneyKey(one) === key) dependent.add(one.day);
      }
    }
    return dependent;
  }

  #nearLine(line: DayLine): NearLine | undefined {
    const choice = this.stored.get(line.day)?.choice;
    const { format, isFinal } = line.statement;
    const base = {
      ...line,
      version: choice?.version.key ?? null,
      format,
      statement: statementKey(line),
      isKept: false,
      count: 1,
    };
    if (!isFinal)
      return {
        ...base,
        role: 'reported',
        version: choice && hasBalances(choice.version) ? base.version : null,
      };
    const exception = choice?.exceptions.get(lineRef(line));
    if (exception === 'additional') return { ...base, role: 'additional' };
    const isChosen = choice?.version.chain.some(({ statementIds }) =>
      statementIds.includes(line.statementId),
    );
    return isChosen && exception !== 'repeated' ? { ...base, role: 'chosen' } : undefined;
  }

  /** The near lines of keys, with equal ones as one. */
  #near(keys: ReadonlySet<string>, day: string): NearLine[] {
    const lines = new Set([...keys].flatMap((key) => [...(this.#byKey.get(key) ?? [])].filter(isMoney)));
    const near = new Map<string, NearLine>();
    for (const line of lines) {
      const one = isNear(line.day, day, windowDays) ? this.#nearLine(line) : undefined;
      if (!one) continue;
      const { role, isPart, statement, batchCents, ids } = one;
      const key = `${lineKey(one, 0)} ${role} ${isPart} ${statement} ${batchCents} ${ids}`;
      const equal = near.get(key);
      if (equal) equal.count += 1;
      else near.set(key, one);
    }
    return [...near.values()];
  }

  /** The lines that a decision can be about: those that count or are proposed. */
  #decidable(lines: readonly NearLine[], near: NearLines): DecidableLine[] {
    const found = new Map<string, DecidableLine>();
    for (const line of lines) {
      if (line.role === 'reported' && stateOfReported(line, near).state === 'replaced') continue;
      const equal = found.get(lineKey(line, 0));
      if (equal) equal.count += line.count;
      else found.set(lineKey(line, 0), { ...line });
    }
    return [...found.values()];
  }

  #judge(day: string): void {
    const { choice, row } = this.stored.get(day) ?? {};
    const lines = this.#statementsOf(day).flatMap((one) => one.lines.filter((line) => line.day === day));
    const decided = [...this.decisions.values()];
    const ofDay = decided.filter((one) => one.day === day);
    const keys = new Set([...lines.flatMap(keysOf), ...ofDay.map(moneyKey)]);
    const nearLines = this.#near(keys, day);
    const near = indexNearLines(nearLines);
    const decisions = placeDecisions(
      decided.filter((one) => keys.has(moneyKey(one)) && isNear(one.day, day, windowDays)),
      this.#decidable(nearLines, near),
    );
    const before = this.rows().findLast((one) => one.day < day);
    const judged = judgeDay(lines, {
      version: choice
        ? {
            ...choice.version,
            format: choice.version.first.format,
            isContinued:
              typeof before?.closingCents === 'bigint' && before.closingCents === row?.openingCents,
            hasBalances: hasBalances(choice.version),
          }
        : null,
      exceptions: choice?.exceptions ?? new Map(),
      near,
      reportedParts: this.#reportedParts(keys, day),
      decisions: decisions.placed,
      ...{ accountDirection: this.accountDirection, known: this.known, rules: [] },
    });
    const unplaced = decisions.unplaced.filter(
      (one) => one.day === day && !judged.judged.has(lineKey(one, one.occurrence)),
    );
    this.stored.set(day, { choice, row, judged, unplaced });
  }

  #reportedParts(keys: ReadonlySet<string>, day: string): DayLine[] {
    const lines = new Set([...keys].flatMap((key) => [...(this.#byKey.get(key) ?? [])]));
    return [...lines].filter((line) => !line.statement.isFinal && line.isPart && isNear(line.day, day));
  }

  rows(): DaySummary[] {
    this.work();
    return [...this.stored.values()].flatMap(({ row }) => row ?? []).sort((a, b) => (a.day < b.day ? -1 : 1));
  }

  calendar(): CalendarDay[] {
    this.work();
    const rows = this.rows();
    const hasSeveralNumbers = rows.some(
      ({ first, last, isNumbered }) => isNumbered && first.digest !== last.digest,
    );
    return calendarOf(rows, { hasSeveralNumbers, accepted: this.accepted });
  }

  /** The judged lines with their keys, in order. */
  lines(): (JudgedLine & { key: string })[] {
    this.work();
    const all = [...this.stored.values()].flatMap(({ judged }) => [...judged.judged]);
    return all.map(([key, line]) => ({ ...line, key })).sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  replaced(): JudgedDay['replaced'] {
    this.work();
    return [...this.stored.values()].flatMap(({ judged }) => judged.replaced);
  }

  /** What a person must answer. */
  questions(): string[] {
    const days = this.calendar().flatMap(({ day, questions }) =>
      questions.map(({ kind }) => `${day} ${kind}`),
    );
    const lost = [...this.stored.values()].flatMap(({ unplaced }) => unplaced);
    return [...days, ...lost.map((one) => `${one.day} decision_without_line`)].sort();
  }

  reconcile(from = '0000', to = '9999'): ReturnType<typeof reconcile> {
    this.work();
    const rows = this.rows().filter(({ day }) => day >= from && day <= to);
    const lines = rows.flatMap(({ day }) => [...this.stored.get(day)!.judged.judged.values()]);
    return reconcile(rows, lines.flatMap(termsOf));
  }

  /** The money of a contribution in counted lines, in cents, and the number of lines to check. */
  moneyOf(transactionId: string): { paid: bigint; returned: bigint; charges: bigint; toCheck: number } {
    const money = { paid: 0n, returned: 0n, charges: 0n, toCheck: 0 };
    for (const { allocations, chargesCents } of this.lines()) {
      for (const one of allocations) {
        if (one.transactionId !== transactionId) continue;
        if (!one.isConfirmed) money.toCheck += 1;
        else if (one.kind === 'payment') money.paid += one.cents;
        else money.returned += one.cents;
        if (one.isConfirmed) money.charges += chargesCents;
      }
    }
    return money;
  }
}
