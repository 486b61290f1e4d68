import type { Response } from 'supertest';

import { formatCents } from '../../src/shared/money';
import type { Client } from './client';
import { until } from './until';

export const statementsPath = '/company/integration/statements';

/** A line of a statement. */
export interface Line {
  cents: bigint;
  direction?: 'credit' | 'debit';
  /** EndToEndId. */
  id?: string;
  text?: string;
  /** The bank's own reference. */
  reference?: string;
  date?: string;
  parts?: Line[];
  status?: 'BOOK' | 'PDNG';
  chargesCents?: bigint;
  currency?: string;
  /** The sub-family of the bank transaction code. */
  subFamily?: string;
  /** The reason of a return. */
  returnCode?: string;
}

export interface StatementForm {
  kind?: '052' | '053' | '054';
  account?: string;
  sequence?: number;
  from?: string;
  to?: string;
  /** The time of the message: a date and time in ISO 8601. */
  madeAt?: string;
  openingCents?: bigint;
  /** Wrong balances make the statement unbalanced. */
  closingCents?: bigint;
}

const usualOpeningCents = 1_000_000_00n;
const direction = ({ direction: of = 'credit' }: Line): string =>
  `<CdtDbtInd>${of === 'credit' ? 'CRDT' : 'DBIT'}</CdtDbtInd>`;
const amount = ({ cents, currency = 'USD' }: Line): string =>
  `<Amt Ccy="${currency}">${formatCents(cents)}</Amt>`;
const details = (line: Line): string => {
  const returned =
    line.returnCode === undefined ? '' : `<RtrInf><Rsn><Cd>${line.returnCode}</Cd></Rsn></RtrInf>`;
  return `<TxDtls><Refs><EndToEndId>${line.id ?? 'NOTPROVIDED'}</EndToEndId></Refs>${amount(line)}${direction(line)}<RmtInf><Ustrd>${line.text ?? ''}</Ustrd></RmtInf>${returned}</TxDtls>`;
};

function entry(line: Line): string {
  const charges =
    line.chargesCents === undefined
      ? ''
      : `<Chrgs><Rcrd><Amt Ccy="USD">${formatCents(line.chargesCents)}</Amt><CdtDbtInd>DBIT</CdtDbtInd><ChrgInclInd>true</ChrgInclInd></Rcrd></Chrgs>`;
  const reference = line.reference === undefined ? '' : `<AcctSvcrRef>${line.reference}</AcctSvcrRef>`;
  const code =
    line.subFamily === undefined
      ? ''
      : `<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>${line.subFamily}</SubFmlyCd></Fmly></Domn></BkTxCd>`;
  return `<Ntry>${amount(line)}${direction(line)}<Sts><Cd>${line.status ?? 'BOOK'}</Cd></Sts><BookgDt><Dt>${line.date ?? '2026-11-20'}</Dt></BookgDt>${reference}${code}${charges}<NtryDtls>${(line.parts ?? [line]).map(details).join('')}</NtryDtls></Ntry>`;
}

const names = {
  '052': ['BkToCstmrAcctRpt', 'Rpt'],
  '053': ['BkToCstmrStmt', 'Stmt'],
  '054': ['BkToCstmrDbtCdtNtfctn', 'Ntfctn'],
} as const;

/** A statement as a bank writes it, with correct balances. */
export function statementFile(lines: readonly Line[], form: StatementForm = {}): string {
  const { kind = '053', account = 'ACCOUNT-NUMBER-0001', sequence, from, to } = form;
  const { openingCents = usualOpeningCents } = form;
  const closing =
    form.closingCents ??
    lines.reduce(
      (sum, line) =>
        sum + (line.status === 'PDNG' ? 0n : line.direction === 'debit' ? -line.cents : line.cents),
      openingCents,
    );
  const balance = (code: string, cents: bigint): string =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="USD">${formatCents(cents)}</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>`;
  const [container, element] = names[kind];
  const period =
    from === undefined
      ? ''
      : `<FrToDt><FrDt>${from}</FrDt><ToDt>${to ?? from}</ToDt></FrToDt>`
          .replace(/Dt>(\d{4}-\d\d-\d\dT)/g, 'DtTm>$1')
          .replace(/(:\d\dZ?)<\/(Fr|To)Dt>/g, '$1</$2DtTm>');
  const madeAt = form.madeAt === undefined ? '' : `<CreDtTm>${form.madeAt}</CreDtTm>`;
  const number = sequence === undefined ? '' : `<ElctrncSeqNb>${sequence}</ElctrncSeqNb>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.${kind}.001.08"><${container}><GrpHdr><MsgId>M</MsgId>${madeAt}</GrpHdr><${element}><Id>S</Id>${number}${period}<Acct><Id><Othr><Id>${account}</Id></Othr></Id><Ccy>USD</Ccy></Acct>${balance('OPBD', openingCents)}${balance('CLBD', closing)}
${lines.map(entry).join('\n')}
</${element}></${container}></Document>`;
}

export interface UploadedFile {
  file_id: string;
  state: string;
  reason: string | null;
  statements: number | null;
  entries: number;
  problems: unknown[];
  /** Those of its statements, if the file was read alone. */
  accounts: { account_id: string }[];
}

/** Uploads a file as the body of a request. */
export const upload = (client: Client, content: string, query = '') =>
  client.post(`${statementsPath}${query}`).set('Content-Type', 'application/xml').send(content);

/** Uploads a file, and waits until it was read and all days are compared. */
export async function uploadAndWait(client: Client, content: string, query = ''): Promise<UploadedFile> {
  const response: Response = await upload(client, content, query);
  if (response.status !== 202 && response.status !== 200) {
    throw new Error(`upload: ${response.status} ${response.text}`);
  }
  const file = await readingEnded(client, (response.body as UploadedFile).file_id);
  if (file.state !== 'read') throw new Error(`upload: ${file.state} ${file.reason}`);
  await daysCompared(client);
  return file;
}

/** Waits until a file was read or rejected. */
export async function readingEnded(client: Client, fileId: string): Promise<UploadedFile> {
  let file: UploadedFile | undefined;
  await until('the reading of the file has ended', async () => {
    file = (await client.get(`${statementsPath}/${fileId}`).expect(200)).body as UploadedFile;
    return file.state !== 'received' && file.state !== 'reading';
  });
  return file!;
}

/** Waits until no day of the environment has work. */
export const daysCompared = (client: Client): Promise<void> =>
  until('all days are compared', async () => {
    const { body } = await client.get('/company/integration/reconciliation/summary').expect(200);
    return (body as { days_to_compare: number }).days_to_compare === 0;
  });
