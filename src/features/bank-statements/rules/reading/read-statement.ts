import { hash } from 'node:crypto';

import {
  type EntryPart,
  isPlaceholder,
  signedCents,
  type Statement,
  type StatementEntry,
  type StatementFile,
} from '@contribution-service/bank-files';

import { nextDay, previousDay } from '../days/banking-days';
import type { LineSearch } from '../../reading/search-ids';
import { type EntryLine, entryLines } from './entry-lines';
import { periodOf } from './period';
import { changeOf, type StatementDay, type StatementHead, type StatementLine } from './statement';

/** Cuts a text, but never within a surrogate pair, because PostgreSQL rejects half of one. */
export const cut = (text: string, length: number): string =>
  text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');

/** What the file and the upload add to a statement. */
export interface Given {
  statementId: string;
  format: StatementFile['format'];
  /** Finds the ids and references in the texts of a line. */
  search: (part: EntryPart) => LineSearch;
  /** Whether the file has problems in the lines of this statement. */
  hasProblems: boolean;
  /** YYYY-MM-DD. */
  uploadedOn: string;
}

const asText = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);
const digestOf = (parts: unknown): string =>
  hash('sha256', JSON.stringify(parts, asText), 'hex').slice(0, 32);

/** Adds up digests, so that the order of the lines does not matter. */
const addDigests = (one: string, other: string): string =>
  BigInt.asUintN(128, BigInt(`0x${one}`) + BigInt(`0x${other}`)).toString(16);

function totalsOf({ entries }: Statement): { changeCents: bigint; lineDays: string[] } {
  const days = new Set<string>();
  let changeCents = 0n;
  for (const { unreadable, isBooked, bookingDate, direction, amountCents } of entries) {
    if (!isBooked || unreadable !== null) continue;
    if (bookingDate !== null) days.add(bookingDate);
    changeCents += signedCents(direction, amountCents);
  }
  return { changeCents, lineDays: [...days].sort() };
}

/** The balance of the first day at its start, and of the last day at its end. */
function balancesOf({ balances, openingCents, closingCents }: Statement) {
  const dated = balances.filter(({ day }) => day !== null);
  dated.sort((one, other) => (`${one.day}` < `${other.day}` ? -1 : 1));
  return {
    openingCents: dated.find(({ isOpening }) => isOpening)?.cents ?? openingCents,
    closingCents: dated.findLast(({ isOpening }) => !isOpening)?.cents ?? closingCents,
  };
}

function headOf(statement: Statement, given: Given): StatementHead {
  const { changeCents, lineDays } = totalsOf(statement);
  const { id, kind, sequence, madeAt, fileOrder, page } = statement;
  const period = periodOf(statement, lineDays);
  const balances = balancesOf(statement);
  const hasBalances = balances.openingCents !== null && balances.closingCents !== null;
  return {
    ...{ statementId: given.statementId, format: given.format, isFinal: kind === 'final', digest: '' },
    ...{ bankId: id && cut(id, 140), number: sequence, madeAt: madeAt ?? fileOrder, changeCents },
    ...{ ...period, ...balances },
    coversTo: period.to > given.uploadedOn ? previousDay(given.uploadedOn) : period.to,
    isDamaged: !hasBalances && given.hasProblems,
    // Most banks number their only page too.
    page: page?.number === 1 && page.isLast ? null : page,
  };
}

/**
 * Where a line belongs. A line without a date gets the last day of its statement. A line that a
 * final statement dates outside its period moves to the nearest day, and keeps its own one.
 */
function placeOf(own: string | null, { isFinal, from, to }: StatementHead) {
  const day = own === null ? to : !isFinal ? own : own < from ? from : own > to ? to : own;
  return { day, ownDay: own === day ? null : own };
}

/** Short references and texts such as NONREF identify nothing. */
const referenceOf = ({ bankReference: text }: StatementEntry): string | null =>
  text !== null && text.length >= 4 && !isPlaceholder(text) ? cut(text, 140) : null;

function lineOf(entry: StatementEntry, line: EntryLine, head: StatementHead, search: Given['search']) {
  const { part, problem, isPart } = line;
  const references = [...part.references, ...(part.furtherReferences ?? [])];
  const reference = referenceOf(entry);
  const found = search({ ...part, references });
  const ids = [...found.ids].sort().join(' ');
  const text = ids === '' ? references.map((one) => one.toUpperCase().replace(/\s+/g, '')) : [];
  const isWhole = problem === 'sums_differ' || (problem === null && entry.parts.length === 0);
  const hasBatch = reference !== null && (isPart || isWhole);
  const stated = {
    ...{ ...placeOf(entry.bookingDate, head), direction: part.direction, isPart, reference, ids, problem },
    cents: problem === 'unreadable' ? 0n : line.cents,
    chargesCents: part.chargesCents,
    statedCents: part.statedCents ?? null,
    digest: digestOf([ids, text]),
    returnCode: part.returnCode === null ? null : cut(part.returnCode, 35),
    code: part.code === undefined ? null : cut(part.code, 35),
    batchCents: hasBatch ? signedCents(entry.direction, entry.amountCents) : null,
  };
  const content = digestOf([stated, references, part.identifiers, part.nature]);
  return { ...stated, content, search: found.stored };
}

/** A file with more days is refused, so further ones without lines need not be listed. */
const mostDays = 4_000;

/** The days of a statement, also those without lines. */
function daysOf(head: StatementHead, changes: Map<string, bigint>): StatementDay[] {
  for (let day = head.from; head.isFinal && day <= head.to && changes.size < mostDays; day = nextDay(day)) {
    if (!changes.has(day)) changes.set(day, 0n);
  }
  let sum = 0n;
  return [...changes.keys()].sort().map((day) => {
    const [beforeCents, changeCents] = [sum, changes.get(day) ?? 0n];
    sum += changeCents;
    return { statement: head, statementIds: [head.statementId], day, beforeCents, changeCents, lines: [] };
  });
}

/**
 * Reads a statement into its lines and days.
 *
 * @returns lines are created when they are read, because all together would take much memory. `end`
 *   gives the statement and its days, after all lines were read. They do not depend on their order
 */
export function readStatement(statement: Statement, given: Given) {
  const head = headOf(statement, given);
  const changes = new Map<string, bigint>();
  let digest = '0';
  function* lines(): Generator<StatementLine, void> {
    let number = 0;
    for (const entry of statement.entries) {
      for (const own of entryLines(entry)) {
        number += 1;
        const line = { ...lineOf(entry, own, head, given.search), statementId: head.statementId, number };
        changes.set(line.day, (changes.get(line.day) ?? 0n) + changeOf([line]));
        digest = addDigests(digest, line.content);
        yield line;
      }
    }
  }
  const end = () => {
    // The same file again has another id, and may cover later days.
    head.digest = digestOf([{ ...head, statementId: '', coversTo: '' }, digest]);
    return { head, days: daysOf(head, changes) };
  };
  return { lines: lines(), end };
}
