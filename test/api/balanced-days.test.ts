import { accountsPath, readDays, uploadAll } from '../support/balanced-days';
import { readMoney, setUpStatements } from '../support/statement-setup';

/**
 * The entries that count, compared with the balances of the bank. Each file is one that made money
 * wrong, and the check says by how much.
 */
const setup = setUpStatements();

interface Form {
  number?: number;
  madeAt?: string;
  opening?: string;
  closing: string;
  /** More elements before the entries. */
  more?: string;
}

const balance = (code: string, amount: string): string =>
  `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="USD">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>`;

function statement(account: string, entries: readonly string[], form: Form): string {
  const { number, opening = '0.00', closing, more = '' } = form;
  const sequence = number === undefined ? '' : `<ElctrncSeqNb>${number}</ElctrncSeqNb>`;
  return `<Stmt><Id>S1</Id>${sequence}<FrToDt><FrDtTm>2026-11-20T00:00:00</FrDtTm><ToDtTm>2026-11-20T23:59:59</ToDtTm></FrToDt><Acct><Id><Othr><Id>${account}</Id></Othr></Id><Ccy>USD</Ccy></Acct>${balance('OPBD', opening)}${balance('CLBD', closing)}${more}${entries.join('')}</Stmt>`;
}

const message = (statements: readonly string[], madeAt = '2026-11-20T20:00:00Z', pages = ''): string =>
  `<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><GrpHdr><MsgId>M1</MsgId><CreDtTm>${madeAt}</CreDtTm>${pages}</GrpHdr>${statements.join('')}</BkToCstmrStmt></Document>`;

const file = (entries: readonly string[], form: Form): string =>
  message([statement('Dz00001', entries, form)], form.madeAt);

interface Entry {
  debit?: boolean;
  reference?: string;
  /** The elements of `TxDtls`. */
  details: string;
  status?: string;
}

const entry = (
  amount: string,
  { debit, reference, details, status = '<Sts><Cd>BOOK</Cd></Sts>' }: Entry,
): string =>
  `<Ntry><Amt Ccy="USD">${amount}</Amt><CdtDbtInd>${debit ? 'DBIT' : 'CRDT'}</CdtDbtInd>${status}<BookgDt><Dt>2026-11-20</Dt></BookgDt>${reference === undefined ? '' : `<AcctSvcrRef>${reference}</AcctSvcrRef>`}<NtryDtls>${details}</NtryDtls></Ntry>`;

const references = (id: string): string => `<Refs><EndToEndId>${id}</EndToEndId></Refs>`;
const transfer = (id: string, more = ''): string => `<TxDtls>${references(id)}${more}</TxDtls>`;
const instructed = '<AmtDtls><InstdAmt><Amt Ccy="USD">25.00</Amt></InstdAmt></AmtDtls>';

const create = () => setup.contributions.createCompleted('25.00');
const credit = (amount: string, id: string, reference: string): string =>
  entry(amount, { reference, details: transfer(id) });

async function judge(...files: readonly string[]) {
  const accountId = await uploadAll(setup.company.test, files);
  const [day] = await readDays(setup.company.test, accountId, '2026-11-20', '2026-11-21');
  return day!;
}

describe('money that is wrong makes the day different:', () => {
  test('the fee of a return counts as returned money', async () => {
    const id = await create();
    const charged = `${instructed}<Chrgs><Amt Ccy="USD">3.00</Amt></Chrgs><RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>`;
    const returned = entry('28.00', { debit: true, reference: 'ret1', details: transfer(id, charged) });
    const day = await judge(
      file([credit('25.00', id, 'a'), credit('25.00', id, 'b'), returned], { number: 1, closing: '22.00' }),
    );
    expect((await readMoney(setup.company.test, id)).net_amount).toBe('22.00');
    expect(day).toMatchObject({
      ...{ movement: '22.00', counted_amount: '19.00', difference: '-3.00', state: 'different' },
    });
  });

  test('a charge counts that was never deducted', async () => {
    const id = await create();
    const charged = `<Amt Ccy="USD">25.00</Amt>${instructed}<Chrgs><Rcrd><Amt Ccy="USD">1.00</Amt><Br>SHAR</Br></Rcrd></Chrgs>`;
    const day = await judge(file([entry('25.00', { details: transfer(id, charged) })], { closing: '25.00' }));
    expect((await readMoney(setup.company.test, id)).position).toBe('over');
    expect(day).toMatchObject({
      ...{ movement: '25.00', counted_amount: '26.00', difference: '1.00', state: 'different' },
    });
  });

  test.each([[false], [true]])(
    'a corrected statement is added to the old one, uploaded first: %s',
    async (isFirst) => {
      const id = await create();
      const reference = '2026112000004711';
      const old = file([credit('20.00', id, reference)], { number: 1, closing: '20.00' });
      const corrected = file([credit('25.00', id, reference)], {
        ...{ number: 1, closing: '25.00', madeAt: '2026-11-21T08:00:00Z' },
      });
      const day = await judge(...(isFirst ? [corrected, old] : [old, corrected]));
      expect((await readMoney(setup.company.test, id)).gross_amount).toBe('45.00');
      expect(day).toMatchObject({
        ...{ opening_balance: '0.00', closing_balance: '25.00', movement: '25.00' },
        ...{ counted_amount: '45.00', difference: '20.00', state: 'different' },
      });
      expect(day.file_ids).toHaveLength(2);
    },
  );

  test('a payment counts twice, because the bank sends it again with another reference', async () => {
    const id = await create();
    const files = ['ONE-0001', 'TWO-0002'].map((reference) =>
      file([credit('25.00', id, reference)], { closing: '25.00' }),
    );
    expect(await judge(...files)).toMatchObject({ counted_amount: '50.00', difference: '25.00' });
    expect((await readMoney(setup.company.test, id)).position).toBe('duplicate');
  });

  test('a payment is hidden, because the bank has its own word for its status', async () => {
    const id = await create();
    const status = '<Sts><Prtry>SETTLED</Prtry></Sts>';
    const hidden = entry('25.00', { details: transfer(id), status });
    expect(await judge(file([hidden], { closing: '25.00' }))).toMatchObject({
      ...{ movement: '25.00', counted_amount: '0.00', difference: '-25.00', state: 'different' },
    });
  });

  test('payments are hidden, because each file is a page of one statement', async () => {
    const ids = [await create(), await create()];
    const pages = ids.map((id, at) =>
      message(
        [statement('Dz00012', [credit('25.00', id, `p${at + 1}`)], { number: 7, closing: '50.00' })],
        '2026-11-20T20:00:00Z',
        `<MsgPgntn><PgNb>${at + 1}</PgNb><LastPgInd>${at === 1}</LastPgInd></MsgPgntn>`,
      ),
    );
    expect(await judge(...pages)).toMatchObject({ movement: '50.00', difference: '-50.00' });
  });

  test('all payments of a file are hidden, because one account has a wrong count', async () => {
    const ids = [await create(), await create()];
    const wrong = '<TxsSummry><TtlNtries><NbOfNtries>2</NbOfNtries></TtlNtries></TxsSummry>';
    const statements = ids.map((id, at) =>
      statement(`Dz0000${at}`, [credit('25.00', id, 'g')], { closing: '25.00', more: at === 1 ? wrong : '' }),
    );
    await judge(message(statements));
    const { body } = await setup.company.test.get(accountsPath).expect(200);
    const accounts = (body as { data: { account_id: string }[] }).data;
    expect(accounts).toHaveLength(2);
    for (const { account_id: accountId } of accounts) {
      const [day] = await readDays(setup.company.test, accountId, '2026-11-20', '2026-11-21');
      expect(day).toMatchObject({ state: 'different', difference: '-25.00' });
    }
  });
});

describe('entries without a wrong amount keep the day balanced:', () => {
  test('a payment whose charge was deducted', async () => {
    const id = await create();
    const charged = `${instructed}<Chrgs><Rcrd><Amt Ccy="USD">1.00</Amt><ChrgInclInd>true</ChrgInclInd></Rcrd></Chrgs>`;
    const day = await judge(
      file([entry('24.00', { reference: 'R-1', details: transfer(id, charged) })], { closing: '24.00' }),
    );
    expect((await readMoney(setup.company.test, id)).position).toBe('matched');
    expect(day).toMatchObject({ counted_amount: '24.00', difference: '0.00', state: 'balanced' });
  });

  test('a payment without a status', async () => {
    const booked = entry('25.00', { details: transfer(await create()), status: '' });
    expect(await judge(file([booked], { closing: '25.00' }))).toMatchObject({ state: 'balanced' });
  });

  test('a batch net of charges, and two ids net of a fee', async () => {
    const ids = [await create(), await create()];
    const charge =
      '<Chrgs><Rcrd><Amt Ccy="USD">0.50</Amt><CdtDbtInd>DBIT</CdtDbtInd><ChrgInclInd>true</ChrgInclInd></Rcrd></Chrgs>';
    const parts = ids.map((id) => transfer(id, `<Amt Ccy="USD">25.00</Amt>${charge}`)).join('');
    const text = `<TxDtls><RmtInf><Ustrd>${ids.join(' AND ')}</Ustrd></RmtInf></TxDtls>`;
    const entries = [parts, text].map((details, at) => entry('49.00', { reference: `w${at}`, details }));
    expect(await judge(file(entries, { closing: '98.00' }))).toMatchObject({ state: 'balanced' });
  });

  test('a payment, a return, rent and an entry that is not booked', async () => {
    const id = await create();
    const entries = [
      credit('25.00', id, 'R-1'),
      entry('25.00', { debit: true, reference: 'R-2', details: transfer(id) }),
      entry('7.00', { debit: true, reference: 'R-3', details: transfer('RENT') }),
      entry('9.00', { reference: 'R-4', details: transfer(id), status: '<Sts><Cd>PDNG</Cd></Sts>' }),
    ];
    const day = await judge(file(entries, { opening: '10.00', closing: '3.00' }));
    expect(day).toEqual({
      ...{ day: '2026-11-20', opening_balance: '10.00', closing_balance: '3.00', movement: '-7.00' },
      ...{ counted_amount: '-7.00', difference: '0.00', state: 'balanced', reason: null },
      file_ids: [expect.any(String)],
    });
  });

  test('a voided file no longer counts', async () => {
    const id = await create();
    const old = file([credit('20.00', id, 'OLD-1')], { number: 1, closing: '20.00' });
    const { file_ids: fileIds } = await judge(old);
    await setup.company.test
      .post(`/company/integration/statements/${fileIds[0]}/void`, { reason: 'Replaced' })
      .expect(200);
    const day = await judge(file([credit('25.00', id, 'NEW-1')], { number: 1, closing: '25.00' }));
    expect(day).toMatchObject({ counted_amount: '25.00', state: 'balanced' });
  });
});

test('a statement without a period, and days without a statement, are not checked', async () => {
  const id = await create();
  const days = /<FrToDt>.*<\/FrToDt>/;
  const without = file([credit('25.00', id, 'R-1')], { closing: '25.00' }).replace(days, '');
  const accountId = await uploadAll(setup.company.test, [without]);
  const read = await readDays(setup.company.test, accountId, '2026-11-19', '2026-11-22');
  expect(read.map((day) => [day.state, day.counted_amount, day.difference, day.reason])).toEqual([
    ['not_checked', '0.00', null, 'No final statement covers this day.'],
    ['not_checked', '25.00', null, 'The statement states no period, so its balances belong to no day.'],
    ['not_checked', '0.00', null, 'No final statement covers this day.'],
  ]);
});
