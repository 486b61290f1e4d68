/** What a bank writes for one payment, or for a batch entry with parts. */
export interface Payment {
  cents: bigint;
  direction: 'credit' | 'debit';
  text: string;
  endToEndId?: string;
  returnCode?: string;
  status?: 'BOOK' | 'PDNG';
  currency?: string;
  parts?: Payment[];
}

const formatCents = (cents: bigint): string => String(cents).padStart(3, '0').replace(/(..)$/, '.$1');
const escapeXml = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
const indicator = ({ direction }: Payment): string =>
  `<CdtDbtInd>${direction === 'credit' ? 'CRDT' : 'DBIT'}</CdtDbtInd>`;
const amount = ({ cents, currency = 'USD' }: Payment): string =>
  `<Amt Ccy="${currency}">${formatCents(cents)}</Amt>`;

/** Banks cut the text after every 35 characters, within a word if necessary. */
const wrapped = (text: string): string[] => text.match(/[\s\S]{1,35}/g) ?? [];

function details(payment: Payment, version: number): string {
  const own =
    version >= 4
      ? amount(payment) + indicator(payment)
      : `<AmtDtls><TxAmt>${amount(payment)}</TxAmt></AmtDtls>`;
  const ustrd = wrapped(payment.text).map((line) => `<Ustrd>${escapeXml(line)}</Ustrd>`);
  const returned =
    payment.returnCode === undefined ? '' : `<RtrInf><Rsn><Cd>${payment.returnCode}</Cd></Rsn></RtrInf>`;
  return `<TxDtls><Refs><EndToEndId>${payment.endToEndId ?? 'NOTPROVIDED'}</EndToEndId></Refs>${own}<RmtInf>${ustrd.join('')}</RmtInf>${returned}</TxDtls>`;
}

const camtNames = {
  '052': ['BkToCstmrAcctRpt', 'Rpt'],
  '053': ['BkToCstmrStmt', 'Stmt'],
  '054': ['BkToCstmrDbtCdtNtfctn', 'Ntfctn'],
} as const;

const signed = ({ direction, cents }: Payment): bigint => (direction === 'credit' ? cents : -cents);
const isBooked = ({ status = 'BOOK' }: Payment): boolean => status === 'BOOK';
const openingCents = 1_000_000_00n;
export const closingOf = (payments: readonly Payment[]): bigint =>
  payments.filter(isBooked).reduce((total, payment) => total + signed(payment), openingCents);

export interface CamtForm {
  kind?: keyof typeof camtNames;
  version?: number;
  closing?: bigint;
}

export function camt(
  payments: readonly Payment[],
  { kind = '053', version = 8, closing = closingOf(payments) }: CamtForm = {},
): string {
  const [container, statement] = camtNames[kind];
  const balance = (code: string, cents: bigint): string =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="USD">${formatCents(cents < 0n ? -cents : cents)}</Amt><CdtDbtInd>${cents < 0n ? 'DBIT' : 'CRDT'}</CdtDbtInd></Bal>`;
  const entries = payments.map((payment, index) => {
    const status = version >= 7 ? `<Cd>${payment.status ?? 'BOOK'}</Cd>` : (payment.status ?? 'BOOK');
    const parts = (payment.parts ?? [payment]).map((part) => details(part, version)).join('');
    return `\n<Ntry>${amount(payment)}${indicator(payment)}<Sts>${status}</Sts><BookgDt><Dt>2026-11-02</Dt></BookgDt><AcctSvcrRef>REF${index}</AcctSvcrRef><NtryDtls>${parts}</NtryDtls></Ntry>`;
  });
  const number = String(version).padStart(2, '0');
  const balances = kind === '054' ? '' : balance('OPBD', openingCents) + balance('CLBD', closing);
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.${kind}.001.${number}"><${container}><GrpHdr><MsgId>M1</MsgId></GrpHdr>
<${statement}><Id>S1</Id><Acct><Id><Othr><Id>123456789</Id></Othr></Id><Ccy>USD</Ccy></Acct>${balances}${entries.join('')}
</${statement}></${container}></Document>`;
}

/** Writes BAI2 with its control totals. Batch entries become one record per part. */
export function bai2(payments: readonly Payment[], closing = closingOf(payments)): string {
  const all = payments.flatMap((payment) => payment.parts ?? [payment]);
  const records = all.map((payment, index) => {
    const [first = '', ...others] = wrapped(payment.text.replace(/[\r\n/]/g, ' '));
    const type = payment.direction === 'credit' ? '142' : '455';
    return [
      `16,${type},${payment.cents},Z,REF${index},${payment.endToEndId ?? ''},${first}`,
      ...others.map((line) => `88,${line}`),
    ];
  });
  const lines = records.flat();
  const total = all.reduce((sum, { cents }) => sum + cents, openingCents + closing);
  return [
    '01,BANK,CUSTOMER,261102,0600,1,,,2/',
    '02,CUSTOMER,BANK,1,261102,,USD,2/',
    `03,123456789,USD,010,${openingCents},,,015,${closing},,/`,
    ...lines,
    `49,${total},${lines.length + 2}/`,
    `98,${total},1,${lines.length + 4}/`,
    `99,${total},1,${lines.length + 6}/`,
    '',
  ].join('\n');
}
