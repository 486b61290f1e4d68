import { directionOf } from './camt-details';
import { dateOf } from './camt-entry';
import { type CamtNode, child } from './camt-tree';
import {
  creationTimeOf,
  dayOf,
  parseStatementCents,
  signedCents,
  type Statement,
  type StatementEntry,
} from './statement-file';

/** @returns the problem of a balance that contradicts an earlier one */
export function addBalance(statement: Statement, node: CamtNode): string | undefined {
  // Version 01 has no CdOrPrtry.
  const code = (child(node, 'Tp', 'CdOrPrtry', 'Cd') ?? child(node, 'Tp', 'Cd'))?.text;
  const cents = parseStatementCents(child(node, 'Amt')?.text ?? '');
  const direction = directionOf(node);
  if (cents === undefined || direction === undefined) return undefined;
  const balance = signedCents(direction, cents);
  if (code === 'OPBD' || code === 'PRCD' || code === 'CLBD') {
    // The date of a PRCD balance is the day before the statement.
    const day = code === 'PRCD' ? null : dateOf(child(node, 'Dt'));
    statement.balances.push({ isOpening: code !== 'CLBD', day, cents: balance });
  }
  if (code === 'OPBD' || code === 'PRCD') {
    statement.openingCents ??= balance;
    return balance === statement.openingCents ? undefined : 'The statement has two opening balances';
  }
  if (code === 'CLBD') {
    statement.closingCents ??= balance;
    return balance === statement.closingCents ? undefined : 'The statement has two closing balances';
  }
  return undefined;
}

function addAccount(statement: Statement, node: CamtNode): void {
  const id = child(node, 'Id');
  const stated =
    child(id, 'IBAN') ??
    child(id, 'Othr', 'Id') ??
    // The names of version 01.
    child(id, 'BBAN') ??
    child(id, 'UPIC') ??
    child(id, 'PrtryAcct', 'Id');
  const number = stated?.text ?? '';
  statement.accountNumber = number === '' ? null : number.replace(/\s/g, '').toUpperCase();
  statement.accountEnding = number === '' ? null : number.slice(-4);
  statement.currency = child(node, 'Ccy')?.text ?? null;
}

function addPeriod(statement: Statement, node: CamtNode): void {
  const from = child(node, 'FrDtTm')?.text ?? child(node, 'FrDt')?.text ?? '';
  const to = child(node, 'ToDtTm')?.text ?? child(node, 'ToDt')?.text ?? '';
  if (isTime(from) && isTime(to)) statement.period = { from, to };
}

/** Adds what the element states about the statement as a whole. */
export function addIdentity(statement: Statement, node: CamtNode): void {
  if (node.name === 'Id') statement.id = node.text;
  if (node.name === 'Acct') addAccount(statement, node);
  if (node.name === 'FrToDt') addPeriod(statement, node);
  if (node.name === 'CreDtTm') statement.madeAt = creationTimeOf(node.text);
  if (/^(Stmt|Rpt|Ntfctn)Pgntn$/.test(node.name)) statement.page = pageOf(node);
  // The electronic number is unique even if the bank repeats the legal one.
  if (node.name === 'ElctrncSeqNb' && /^\d{1,18}$/.test(node.text)) statement.sequence = BigInt(node.text);
}

export function pageOf(node: CamtNode): Statement['page'] {
  const number = child(node, 'PgNb')?.text ?? '';
  if (!/^\d{1,5}$/.test(number)) return null;
  return { number: Number(number), isLast: /^(true|1)$/.test(child(node, 'LastPgInd')?.text ?? '') };
}

const isTime = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:?\d\d)?)?$/.test(text) &&
  dayOf(text) !== undefined &&
  !Number.isNaN(Date.parse(text));

/** The contradictions between the totals of a statement and its entries. */
export function summaryProblems(summary: CamtNode, entries: Iterable<StatementEntry>): string[] {
  const found = {
    TtlNtries: { count: 0, cents: 0n },
    TtlCdtNtries: { count: 0, cents: 0n },
    TtlDbtNtries: { count: 0, cents: 0n },
  };
  for (const { direction, amountCents } of entries) {
    for (const total of [found.TtlNtries, direction === 'credit' ? found.TtlCdtNtries : found.TtlDbtNtries]) {
      total.count += 1;
      total.cents += amountCents;
    }
  }
  return Object.entries(found).flatMap(([name, { count, cents }]) => {
    const stated = child(summary, name);
    const statedCount = child(stated, 'NbOfNtries')?.text;
    const sum = parseStatementCents(child(stated, 'Sum')?.text ?? '');
    return [
      ...(statedCount !== undefined && Number(statedCount) !== count
        ? [`${name} states ${statedCount} entries, but the statement has ${count}`]
        : []),
      ...(sum !== undefined && sum !== cents ? [`${name} states a sum that does not match its entries`] : []),
    ];
  });
}
