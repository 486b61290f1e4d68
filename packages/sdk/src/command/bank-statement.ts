import { mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { UsageError } from './command.js';

/** A transfer that arrived on the account of the simulated bank. */
export interface Transfer {
  transaction_id: string;
  bank_reference: string;
  /** Dollars with two decimals. */
  amount: string;
  /** As YYYY-MM-DD. */
  value_date: string;
}

interface Entry extends Transfer {
  /** When the bank booked it, in UTC. */
  booked_at: string;
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const text = (value: string): string => value.replace(/[&<>]/g, (character) => escapes[character] ?? '');
const amountOf = (cents: bigint): string =>
  String(cents)
    .padStart(3, '0')
    .replace(/(\d\d)$/, '.$1');

const sumOf = (entries: readonly Entry[]): string =>
  amountOf(entries.reduce((total, { amount }) => total + BigInt(amount.replace('.', '')), 0n));

const balance = (code: string, amount: string, date: string): string => `      <Bal>
        <Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>
        <Amt Ccy="USD">${amount}</Amt>
        <CdtDbtInd>CRDT</CdtDbtInd>
        <Dt><Dt>${date}</Dt></Dt>
      </Bal>`;

const entryOf = (entry: Entry): string => `      <Ntry>
        <Amt Ccy="USD">${entry.amount}</Amt>
        <CdtDbtInd>CRDT</CdtDbtInd>
        <Sts><Cd>BOOK</Cd></Sts>
        <BookgDt><Dt>${entry.booked_at.slice(0, 10)}</Dt></BookgDt>
        <ValDt><Dt>${text(entry.value_date)}</Dt></ValDt>
        <AcctSvcrRef>${text(entry.bank_reference)}</AcctSvcrRef>
        <BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>DMCT</SubFmlyCd></Fmly></Domn></BkTxCd>
        <NtryDtls>
          <TxDtls>
            <Refs><EndToEndId>${text(entry.transaction_id)}</EndToEndId></Refs>
            <Amt Ccy="USD">${entry.amount}</Amt>
            <CdtDbtInd>CRDT</CdtDbtInd>
          </TxDtls>
        </NtryDtls>
      </Ntry>`;

/** A statement of all entries, as camt.053.001.08 (ISO 20022). */
function statementOf(entries: readonly Entry[], now: string): string {
  const today = now.slice(0, 10);
  const sum = sumOf(entries);
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">
  <BkToCstmrStmt>
    <GrpHdr>
      <MsgId>SIMULATED-${now.replace(/\D/g, '').slice(0, 14)}</MsgId>
      <CreDtTm>${now}</CreDtTm>
    </GrpHdr>
    <Stmt>
      <Id>SIMULATED</Id>
      <CreDtTm>${now}</CreDtTm>
      <Acct>
        <Id><Othr><Id>SIMULATED-BANK</Id></Othr></Id>
        <Ccy>USD</Ccy>
      </Acct>
${balance('OPBD', '0.00', entries[0]?.booked_at.slice(0, 10) ?? today)}
${balance('CLBD', sum, today)}
      <TxsSummry>
        <TtlNtries><NbOfNtries>${entries.length}</NbOfNtries><Sum>${sum}</Sum></TtlNtries>
      </TxsSummry>
${entries.map(entryOf).join('\n')}
    </Stmt>
  </BkToCstmrStmt>
</Document>
`;
}

/**
 * The account statement of the simulated bank. A journal beside the file keeps the entries, so that
 * a restart loses and repeats none.
 */
export class BankStatement {
  readonly #entries = new Map<string, Entry>();
  readonly #file: string;
  readonly #journal: string;
  #isWritten = false;

  private constructor(file: string) {
    this.#file = path.resolve(file);
    this.#journal = `${this.#file}.entries`;
  }

  /** @throws UsageError if the journal is damaged */
  static async open(file: string): Promise<BankStatement> {
    const statement = new BankStatement(file);
    await mkdir(path.dirname(statement.#file), { recursive: true });
    const journal = await readFile(statement.#journal, 'utf8').catch(() => '');
    // A crash can cut the last line. Its request is still stored, so recover() books it again.
    const lines = journal.slice(0, journal.lastIndexOf('\n') + 1);
    if (lines !== journal) await writeFile(statement.#journal, lines);
    for (const line of lines.split('\n').filter((each) => each !== '')) {
      try {
        const entry = JSON.parse(line) as Entry;
        statement.#entries.set(entry.bank_reference, entry);
      } catch {
        throw new UsageError(`${statement.#journal} is damaged. Remove it and the statement to start anew.`);
      }
    }
    return statement;
  }

  /** Books a transfer once. It resolves when the entry is on the disk. */
  async book(transfer: Transfer): Promise<void> {
    if (this.#entries.has(transfer.bank_reference)) return;
    const entry = { ...transfer, booked_at: new Date().toISOString() };
    this.#entries.set(entry.bank_reference, entry);
    this.#isWritten = false;
    const handle = await open(this.#journal, 'a', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(entry)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  /** Replaces the file if there are new entries. */
  async write(): Promise<void> {
    if (this.#isWritten) return;
    this.#isWritten = true;
    await writeFile(`${this.#file}.tmp`, statementOf([...this.#entries.values()], new Date().toISOString()));
    await rename(`${this.#file}.tmp`, this.#file);
  }
}
