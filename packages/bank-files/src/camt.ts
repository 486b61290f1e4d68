import { type ReadPart, readPart } from './camt-details';
import { readEntry } from './camt-entry';
import { addBalance, addIdentity, pageOf, summaryProblems } from './camt-statement';
import { type CamtEvents, type CamtNode, openCamtTree } from './camt-tree';
import { limitNumber } from './file-limits';
import {
  addStatement,
  balanceOf,
  creationTimeOf,
  newStatement,
  type Statement,
  type StatementFile,
  type StatementKind,
} from './statement-file';
import { StatementFileRefused } from './statement-file-refused';

const formats = {
  BkToCstmrAcctRpt: { format: 'camt.052', statement: 'Rpt', kind: 'interim' },
  BkToCstmrStmt: { format: 'camt.053', statement: 'Stmt', kind: 'final' },
  BkToCstmrDbtCdtNtfctn: { format: 'camt.054', statement: 'Ntfctn', kind: 'notification' },
} as const;

/** The format of a message by the name of its element, which ends in V01 in version 01. */
function formatOf(name: string): (typeof formats)[keyof typeof formats] | undefined {
  const plain = name.replace(/V01$/, '');
  return Object.hasOwn(formats, plain) ? formats[plain as keyof typeof formats] : undefined;
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

/** Collects the statements of a file from its elements. */
class CamtReader implements CamtEvents {
  readonly #file: StatementFile = { format: 'camt.053', version: null, statements: [], problems: [] };
  readonly #summaries = new Map<Statement, CamtNode>();
  readonly #duplicates = new Set<Statement>();
  readonly #count = { entries: 0, balances: 0 };
  #statementName: string | undefined;
  #kind: StatementKind = 'final';
  #namespace = '';
  #header: Header = { madeAt: null, page: null };
  #isHeader = false;
  #parts: ReadPart[] = [];

  open(name: string, namespace: string, line: number): boolean {
    const known = formatOf(name);
    if (known) {
      if (known.statement !== (this.#statementName ?? known.statement)) {
        throw new StatementFileRefused(`Line ${line}: the file has messages of two formats.`);
      }
      this.#namespace = namespace;
      this.#file.format = known.format;
      this.#file.version = /camt\.05[234]\.001\.(\d\d)$/.exec(namespace)?.[1] ?? null;
      this.#statementName = known.statement;
      this.#kind = known.kind;
      this.#header = { madeAt: null, page: null };
      return false;
    }
    if (namespace !== this.#namespace) return false;
    this.#isHeader = name === 'GrpHdr';
    const isStatement = name === this.#statementName;
    if (isStatement) addStatement(this.#file, newStatement({ line, kind: this.#kind, ...this.#header }));
    return this.#isHeader || isStatement;
  }

  inner(node: CamtNode): boolean {
    if (node.name !== 'TxDtls') return true;
    limitNumber('entries', (this.#count.entries += 1));
    this.#parts.push(readPart(node));
    return false;
  }

  record(node: CamtNode): void {
    if (node.name === this.#statementName) {
      const what = this.#isHeader
        ? 'the group header contains a statement'
        : 'a statement contains another one';
      throw new StatementFileRefused(`Line ${node.line}: ${what}.`);
    }
    const statement = this.#file.statements.at(-1);
    if (this.#isHeader) addHeader(this.#header, node);
    else if (statement) this.#addTo(statement, node);
    this.#parts = [];
  }

  #addTo(statement: Statement, node: CamtNode): void {
    addIdentity(statement, node);
    if (node.name === 'CpyDplctInd' && /^(CODU|DUPL)$/.test(node.text)) this.#duplicates.add(statement);
    if (node.name === 'Bal') {
      limitNumber('balances', (this.#count.balances += 1));
      const message = addBalance(statement, node);
      if (message !== undefined) this.#file.problems.push({ line: node.line, message });
    }
    if (node.name === 'TxsSummry') this.#summaries.set(statement, node);
    if (node.name === 'Ntry') {
      // An entry counts once with its only part.
      if (this.#parts.length !== 1) limitNumber('entries', (this.#count.entries += 1));
      statement.entries.push(readEntry(node, this.#parts, this.#kind));
    }
  }

  end(): StatementFile {
    if (this.#file.statements.length === 0) {
      throw new StatementFileRefused('The XML contains no statement of camt.052, camt.053 or camt.054.');
    }
    checkStatements(this.#file, this.#duplicates, this.#summaries);
    return this.#file;
  }
}

/**
 * Reads the messages camt.052, camt.053 and camt.054 of ISO 20022 by structure: of any version,
 * with any namespace prefix. The file arrives in chunks of text.
 */
export function openCamt(): { write: (text: string) => void; end: () => StatementFile } {
  const reader = new CamtReader();
  const { write, close } = openCamtTree(reader);
  return {
    write,
    end() {
      close();
      return reader.end();
    },
  };
}
