import { accountNumber, amountOf, type Entry, type StatementDay, statementDays } from './entry.js';

const messages = {
  '052': { container: 'BkToCstmrAcctRpt', statement: 'Rpt', closing: 'ITBD' },
  '053': { container: 'BkToCstmrStmt', statement: 'Stmt', closing: 'CLBD' },
  '054': { container: 'BkToCstmrDbtCdtNtfctn', statement: 'Ntfctn', closing: undefined },
} as const;

export type CamtMessage = keyof typeof messages;

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const text = (value: string): string => value.replace(/[&<>]/g, (character) => escapes[character] ?? '');

const balance = (code: string, cents: bigint, date: string): string => `      <Bal>
        <Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>
        <Amt Ccy="USD">${amountOf(cents < 0n ? -cents : cents)}</Amt>
        <CdtDbtInd>${cents < 0n ? 'DBIT' : 'CRDT'}</CdtDbtInd>
        <Dt><Dt>${date}</Dt></Dt>
      </Bal>
`;

function entryOf(entry: Entry): string {
  const amount = amountOf(entry.cents);
  const direction = entry.is_return ? 'DBIT' : 'CRDT';
  // ISO 20022 has its own codes for the reasons of NACHA: AM04 is insufficient funds.
  const reason = entry.is_return ? '\n            <RtrInf><Rsn><Cd>AM04</Cd></Rsn></RtrInf>' : '';
  return `      <Ntry>
        <Amt Ccy="USD">${amount}</Amt>
        <CdtDbtInd>${direction}</CdtDbtInd>
        <Sts><Cd>BOOK</Cd></Sts>
        <BookgDt><Dt>${entry.booking_date}</Dt></BookgDt>
        <ValDt><Dt>${text(entry.value_date)}</Dt></ValDt>
        <AcctSvcrRef>${text(entry.bank_reference)}</AcctSvcrRef>
        <BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>${entry.is_return ? 'RRTN' : 'DMCT'}</SubFmlyCd></Fmly></Domn></BkTxCd>
        <NtryDtls>
          <TxDtls>
            <Refs><EndToEndId>${text(entry.transaction_id ?? entry.bank_reference)}</EndToEndId></Refs>
            <Amt Ccy="USD">${amount}</Amt>
            <CdtDbtInd>${direction}</CdtDbtInd>${reason}
          </TxDtls>
        </NtryDtls>
      </Ntry>
`;
}

/** The file. By default, it has the days until now of the account of the simulated bank. */
export interface CamtOptions {
  /** When the bank made the file. */
  now: string;
  account?: string;
  /** The first day and the last day at least, as YYYY-MM-DD. */
  from?: string;
  to?: string;
}

function statementOfDay(
  message: CamtMessage,
  { number, day, entries, opening, closing }: StatementDay,
  { now, account = accountNumber }: CamtOptions,
): string {
  const { statement, closing: code } = messages[message];
  const sum = amountOf(entries.reduce((total, { cents }) => total + cents, 0n));
  // A notification (camt.054) has no balances.
  const balances = code === undefined ? '' : balance('OPBD', opening, day) + balance(code, closing, day);
  return `    <${statement}>
      <Id>SIMULATED-${day}</Id>
      <ElctrncSeqNb>${number}</ElctrncSeqNb>
      <CreDtTm>${now}</CreDtTm>
      <FrToDt><FrDtTm>${day}T00:00:00</FrDtTm><ToDtTm>${day}T23:59:59</ToDtTm></FrToDt>
      <Acct>
        <Id><Othr><Id>${text(account)}</Id></Othr></Id>
        <Ccy>USD</Ccy>
      </Acct>
${balances}      <TxsSummry>
        <TtlNtries><NbOfNtries>${entries.length}</NbOfNtries><Sum>${sum}</Sum></TtlNtries>
      </TxsSummry>
${entries.map(entryOf).join('')}    </${statement}>
`;
}

/** All entries as camt.052, camt.053 or camt.054 (ISO 20022, version 8), one statement a day. */
export function camtOf(message: CamtMessage, entries: readonly Entry[], options: CamtOptions): string {
  const { container } = messages[message];
  const { now, to = now.slice(0, 10), from } = options;
  const days = statementDays(entries, to, from);
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.${message}.001.08">
  <${container}>
    <GrpHdr>
      <MsgId>SIMULATED-${now.replace(/\D/g, '').slice(0, 14)}</MsgId>
      <CreDtTm>${now}</CreDtTm>
    </GrpHdr>
${days.map((day) => statementOfDay(message, day, options)).join('')}  </${container}>
</Document>
`;
}
