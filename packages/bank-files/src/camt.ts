import {
  chargesOf,
  differs,
  directionOf,
  isAmbiguous,
  partOf,
  type ReadPart,
  readPart,
  statedCentsOf,
} from './camt-details';
import { natureOfCamt } from './bank-transaction-codes';
import { type CamtNode, child, readCamtTree } from './camt-tree';
import { limitNumber } from './file-limits';
import {
  addStatement,
  balanceOf,
  creationTimeOf,
  dayOf,
  newStatement,
  parseStatementCents,
  referencesOf,
  signedCents,
  type Statement,
  type StatementEntry,
  type StatementFile,
  type StatementKind,
} from './statement-file';
import { StatementFileRefused } from './statement-file-refused';

const formats = {
  BkToCstmrAcctRpt: { format: 'camt.052', statement: 'Rpt', kind: 'interim' },
  BkToCstmrStmt: { format: 'camt.053', statement: 'Stmt', kind: 'final' },
  BkToCstmrDbtCdtNtfctn: { format: 'camt.054', statement: 'Ntfctn', kind: 'notification' },
} as const;

const dateOf = (node: CamtNode | undefined): string | null => {
  const text = child(node, 'Dt')?.text ?? child(node, 'DtTm')?.text ?? '';
  return dayOf(text) ?? null;
};

function readEntry(node: CamtNode, read: readonly ReadPart[]): StatementEntry {
  const amount = child(node, 'Amt');
  const amountCents = parseStatementCents(amount?.text ?? '');
  const direction = directionOf(node);
  const status = child(node, 'Sts', 'Cd')?.text ?? child(node, 'Sts')?.text ?? '';
  const currency = amount?.currency ?? '';
  const nature = natureOfCamt(node);
  const ownCharges = chargesOf(node);
  const chargesCents = (read.length === 1 && read[0]?.chargesCents) || ownCharges;
  const isBatch =
    read.length > 1 ||
    Number(child(node, 'NtryDtls', 'Btch', 'NbOfTxs')?.text) > 1 ||
    read.some((part) => differs(part, { amountCents, currency, chargesCents }));
  const [only] = isBatch ? [] : read;
  return {
    line: node.line,
    direction: direction ?? 'credit',
    amountCents: amountCents ?? 0n,
    currency,
    isBooked: status === 'BOOK',
    bookingDate: dateOf(child(node, 'BookgDt')),
    bankReference: child(node, 'AcctSvcrRef')?.text ?? null,
    statedCents: statedCentsOf(node, only, currency),
    chargesCents: only ? chargesCents : ownCharges,
    // A bank may use this reference in its completions, as the reference of the transfer.
    identifiers: referencesOf([...(only?.identifiers ?? []), child(node, 'AcctSvcrRef')?.text]),
    references: referencesOf([...(only?.references ?? []), child(node, 'AddtlNtryInf')?.text]),
    returnCode: only?.returnCode ?? null,
    nature: only?.nature ?? nature,
    parts: (isBatch ? read : []).map((part) =>
      partOf(part, { direction: direction ?? 'credit', currency, nature }),
    ),
    unreadable:
      amountCents === undefined || isAmbiguous(node, 'Amt')
        ? 'the amount is missing, ambiguous or not in whole cents'
        : direction === undefined || isAmbiguous(node, 'CdtDbtInd')
          ? 'CdtDbtInd is missing, ambiguous or unknown'
          : null,
  };
}

/** @returns what is wrong with the balance */
function addBalance(statement: Statement, node: CamtNode): string | undefined {
  const code = child(node, 'Tp', 'CdOrPrtry', 'Cd')?.text;
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
  const number = child(node, 'Id', 'IBAN')?.text ?? child(node, 'Id', 'Othr', 'Id')?.text ?? '';
  statement.accountNumber = number === '' ? null : number.replace(/\s/g, '').toUpperCase();
  statement.accountEnding = number === '' ? null : number.slice(-4);
  statement.currency = child(node, 'Ccy')?.text ?? null;
}

function addPeriod(statement: Statement, node: CamtNode): void {
  const from = child(node, 'FrDtTm')?.text ?? child(node, 'FrDt')?.text ?? '';
  const to = child(node, 'ToDtTm')?.text ?? child(node, 'ToDt')?.text ?? '';
  if (isTime(from) && isTime(to)) statement.period = { from, to };
}

function addIdentity(statement: Statement, node: CamtNode): void {
  if (node.name === 'Id') statement.id = node.text;
  if (node.name === 'Acct') addAccount(statement, node);
  if (node.name === 'FrToDt') addPeriod(statement, node);
  if (node.name === 'CreDtTm') statement.madeAt = creationTimeOf(node.text);
  if (/^(Stmt|Rpt|Ntfctn)Pgntn$/.test(node.name)) statement.page = pageOf(node);
  // The electronic number is unique even if the bank repeats the legal one.
  if (node.name === 'ElctrncSeqNb' && /^\d{1,18}$/.test(node.text)) statement.sequence = BigInt(node.text);
}

function pageOf(node: CamtNode): Statement['page'] {
  const number = child(node, 'PgNb')?.text ?? '';
  if (!/^\d{1,5}$/.test(number)) return null;
  return { number: Number(number), isLast: /^(true|1)$/.test(child(node, 'LastPgInd')?.text ?? '') };
}

const isTime = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:?\d\d)?)?$/.test(text) &&
  dayOf(text) !== undefined &&
  !Number.isNaN(Date.parse(text));

/** The contradictions between the totals of a statement and its entries. */
function summaryProblems(summary: CamtNode, entries: Iterable<StatementEntry>): string[] {
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

/** What the group header states about all statements of its message. */
type Header = Pick<Statement, 'madeAt' | 'page'>;

function addHeader(header: Header, node: CamtNode): void {
  if (node.name === 'CreDtTm') header.madeAt = creationTimeOf(node.text);
  if (node.name === 'MsgPgntn') header.page = pageOf(node);
}

/** Compares each statement with its balances and totals. */
function checkStatements(
  file: StatementFile,
  duplicates: ReadonlySet<Statement>,
  summaries: ReadonlyMap<Statement, CamtNode>,
): void {
  for (const statement of file.statements) {
    // Ignore the number, because each transmission can have a new one. It does not show that
    // entries differ.
    if (duplicates.has(statement)) statement.sequence = null;
    statement.balance = balanceOf(statement);
    const summary = summaries.get(statement);
    const problems = summary ? summaryProblems(summary, statement.entries) : [];
    file.problems.push(...problems.map((message) => ({ line: summary?.line ?? statement.line, message })));
  }
}

/**
 * Reads the messages camt.052, camt.053 and camt.054 of ISO 20022 by structure: of any version,
 * with any namespace prefix.
 */
export function readCamt(text: string): StatementFile {
  const file: StatementFile = { format: 'camt.053', version: null, statements: [], problems: [] };
  const summaries = new Map<Statement, CamtNode>();
  const duplicates = new Set<Statement>();
  let statementName: string | undefined;
  let kind: StatementKind = 'final';
  let namespaceOfMessage = '';
  let header: Header = { madeAt: null, page: null };
  let isHeader = false;
  let parts: ReadPart[] = [];
  const count = { entries: 0, balances: 0 };
  readCamtTree(text, {
    open(name, namespace, line) {
      if (Object.hasOwn(formats, name)) {
        const known = formats[name as keyof typeof formats];
        if (known.statement !== (statementName ?? known.statement)) {
          throw new StatementFileRefused(`Line ${line}: the file has messages of two formats.`);
        }
        namespaceOfMessage = namespace;
        file.format = known.format;
        file.version = /camt\.05[234]\.001\.(\d\d)$/.exec(namespace)?.[1] ?? null;
        statementName = known.statement;
        kind = known.kind;
        header = { madeAt: null, page: null };
        return false;
      }
      if (namespace !== namespaceOfMessage) return false;
      isHeader = name === 'GrpHdr';
      if (name === statementName) addStatement(file, newStatement({ line, kind, ...header }));
      return isHeader || name === statementName;
    },
    inner(node) {
      if (node.name !== 'TxDtls') return true;
      limitNumber('entries', (count.entries += 1));
      parts.push(readPart(node));
      return false;
    },
    record(node) {
      if (isHeader) {
        if (node.name === statementName)
          throw new StatementFileRefused(`Line ${node.line}: the group header contains a statement.`);
        addHeader(header, node);
        parts = [];
        return;
      }
      const statement = file.statements.at(-1);
      if (!statement) return;
      if (node.name === statementName)
        throw new StatementFileRefused(`Line ${node.line}: a statement contains another one.`);
      addIdentity(statement, node);
      if (node.name === 'CpyDplctInd' && /^(CODU|DUPL)$/.test(node.text)) duplicates.add(statement);
      if (node.name === 'Bal') {
        limitNumber('balances', (count.balances += 1));
        const message = addBalance(statement, node);
        if (message !== undefined) file.problems.push({ line: node.line, message });
      }
      if (node.name === 'TxsSummry') summaries.set(statement, node);
      if (node.name === 'Ntry') {
        limitNumber('entries', (count.entries += 1));
        statement.entries.push(readEntry(node, parts));
      }
      parts = [];
    },
  });
  if (file.statements.length === 0) {
    throw new StatementFileRefused('The XML contains no statement of camt.052, camt.053 or camt.054.');
  }
  checkStatements(file, duplicates, summaries);
  return file;
}
