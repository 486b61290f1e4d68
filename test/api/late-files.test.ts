import {
  type Line,
  statementFile,
  statementsPath,
  uploadAndWait,
  daysCompared,
} from '../support/statement-files';
import {
  accountsPath,
  readAccountId,
  readEntries,
  readMoney,
  setUpStatements,
} from '../support/statement-setup';

/** Files that come after their month was closed. Uploads and voids wake the work of days. */
const setup = setUpStatements({ pollMs: 3_600_000 });
const reconciliation = '/company/integration/reconciliation';
const client = () => setup.company.test;
const openingCents = 1_000_00n;
const [first, last] = ['2026-10-01', '2026-10-31'];
const gift = (id: string, date: string): Line => ({ cents: 25_50n, id, reference: 'REF-A001', date });
const put = (lines: readonly Line[], form: object) =>
  uploadAndWait(client(), statementFile(lines, { openingCents, ...form }));
/** Without balances. */
const putBare = (lines: readonly Line[], form: object) =>
  uploadAndWait(client(), statementFile(lines, form).replace(/<Bal>.*?<\/Bal>/g, ''));
const close = (accounts: readonly string[] = []) =>
  client()
    .post(`${reconciliation}/months/2026-10/close`, {
      reason: 'October',
      accounts_without_statements: accounts,
    })
    .expect(200);
const kindsOf = async (path: string): Promise<string[]> => {
  const { body } = await client().get(`${reconciliation}/${path}`).expect(200);
  return (body as { data: { kind: string }[] }).data.map(({ kind }) => kind);
};
const asked = () => kindsOf('questions');

test('a wrong file leaves positions as they are, and can be voided', async () => {
  const id = await setup.contributions.createCompleted('25.50', { value_date: '2026-10-06' });
  const whole = await put([], { from: first, to: '2026-11-30' });
  await client()
    .put(`${accountsPath}/${await readAccountId(client())}`, { complete_coverage: true })
    .expect(200);
  await close();
  const wrong = await put([{ cents: 1_00n, text: 'wrong', date: '2026-10-07' }], { from: '2026-10-07' });
  expect(await asked()).toEqual(['changed_after_close']);
  expect((await readMoney(client(), id)).position).toBe('completed_without_money');

  const reason = { reason: 'Of another account' };
  await client().post(`${statementsPath}/${whole.file_id}/void`, reason).expect(409);
  await client().post(`${statementsPath}/${wrong.file_id}/void`, reason).expect(200);
  await daysCompared(client());
  expect(await asked()).toEqual([]);
  expect((await readMoney(client(), id)).position).toBe('completed_without_money');
});

test('a version without balances that moves a line to the next month counts it once', async () => {
  const id = await setup.contributions.createCompleted();
  const form = { from: first, to: '2026-11-30', sequence: 1 };
  await putBare([gift(id, '2026-10-30')], { ...form, madeAt: '2026-12-01T00:00:01' });
  await close();
  await putBare([gift(id, '2026-11-02')], { ...form, madeAt: '2026-12-01T00:00:02' });
  expect(await readMoney(client(), id)).toMatchObject({ gross_amount: '25.50', position: 'matched' });
  expect(await kindsOf('can-close?month=2026-11')).toContain('lines_to_decide');
});

test('equal lines of both months count if the balances follow', async () => {
  const id = await setup.contributions.createCompleted();
  await put([gift(id, '2026-10-30')], { from: first, to: last });
  await close();
  await put([gift(id, '2026-11-02')], {
    from: '2026-11-01',
    to: '2026-11-30',
    openingCents: openingCents + 25_50n,
  });
  expect(await readMoney(client(), id)).toMatchObject({ gross_amount: '51.00', position: 'duplicate' });
});

test('the first statement of the last days asks only if it says that something happened', async () => {
  await put([], { from: first, to: '2026-10-30' });
  await close();
  const { file_id: quiet } = await put([], { from: last, to: '2026-11-06' });
  expect(await asked()).toEqual([]);
  await client().post(`${statementsPath}/${quiet}/void`, { reason: 'Sent again' }).expect(200);
  const fee: Line = { cents: 25_50n, direction: 'debit', text: 'fee', date: last };
  await put([gift('NONE', last), fee], { from: last, to: '2026-11-06' });
  expect(await asked()).toEqual(['changed_after_close']);
});

test('a statement without the line of a notification that the month counts asks', async () => {
  const id = await setup.contributions.createCompleted();
  await put([], { from: first, to: '2026-10-20' });
  await put([gift(id, '2026-10-30')], { kind: '054' });
  const account = await readAccountId(client());
  await close([account]);

  const { body: month } = await client().get(`${reconciliation}/months/2026-10`).expect(200);
  const { body: shown } = await client()
    .get(`${accountsPath}/${account}/reconciliation?from=${first}&to=2026-11-01`)
    .expect(200);
  const { terms } = shown as { terms: { term: string; amount: string }[] };
  expect(terms).toContainEqual(expect.objectContaining({ term: 'matched', amount: '25.50' }));
  expect((month as { numbers: object[] }).numbers).toMatchObject([
    { ...Object.fromEntries(terms.map(({ term, amount }) => [term, amount])), closing_balance: '1000.00' },
  ]);

  await put([], { from: '2026-10-30' });
  expect(await asked()).toEqual(['changed_after_close']);
});

test('a notification that comes after a statement without balances is listed', async () => {
  const id = await setup.contributions.createCompleted();
  await putBare([gift(id, '2026-10-20')], { from: first, to: last });
  await close();
  const returned: Line = {
    ...gift(id, '2026-10-25'),
    direction: 'debit',
    returnCode: 'AC04',
    reference: 'REF-A002',
  };
  const { file_id: fileId } = await put([returned], { kind: '054', from: '2026-10-25' });
  expect(await readEntries(client(), fileId)).toMatchObject([
    { state: 'proposed', reason: 'in_other_version' },
  ]);
  expect(await readMoney(client(), id)).toMatchObject({ gross_amount: '25.50', position: 'matched' });
});
