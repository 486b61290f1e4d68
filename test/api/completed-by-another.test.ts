import type { TestCompany } from '../support/service';
import { type Line, statementFile, uploadAndWait } from '../support/statement-files';
import { accountsPath, readAccountId, readMoney, setUpStatements } from '../support/statement-setup';

/** What two banks of one company see of each other's completions of 25.50 dollars. */
const setup = setUpStatements();
const amount = 25_50n;
const reconciliation = '/company/integration/reconciliation';

let banks: readonly [TestCompany, TestCompany];
/** `banks[0]` completed `ids[0]`, and `banks[1]` completed `ids[1]`. Everybody sees both. */
let ids: readonly [string, string];

beforeEach(async () => {
  banks = [await setup.service.addCompany(), await setup.service.addCompany()];
  const [first, second] = banks;
  const { contributions } = setup;
  const evidence = { value_date: '2026-11-10' };
  await contributions.link(first);
  const ofSecond = await contributions.create();
  await contributions.unlink(first);
  await contributions.link(second);
  await contributions.complete(second.test, ofSecond, evidence).expect(200);
  const ofFirst = await contributions.create();
  await contributions.unlink(second);
  await contributions.link(first);
  await contributions.complete(first.test, ofFirst, evidence).expect(200);
  ids = [ofFirst, ofSecond];
});

let uploads = 0;

/** Uploads a statement of the month that shows all money. A later one replaces it. */
async function upload(reader: TestCompany, lines: readonly Line[]): Promise<void> {
  const madeAt = `2026-11-29T00:00:${10 + (uploads += 1)}`;
  const period = { from: '2026-11-01', to: '2026-11-28', madeAt };
  const dated = lines.map((line, at) => ({
    reference: `R-${at}`,
    date: '2026-11-10',
    ...line,
  }));
  await uploadAndWait(reader.test, statementFile(dated, period));
  const path = `${accountsPath}/${await readAccountId(reader.test)}`;
  await reader.test.put(path, { complete_coverage: true }).expect(200);
}

interface Listed {
  data: { transaction_id: string; position: string; completed_by_you: boolean }[];
}
const listed = async (reader: TestCompany, query = ''): Promise<Listed['data']> =>
  ((await reader.test.get(`${reconciliation}?${query}`).expect(200)).body as Listed).data;

async function positionsOf(reader: TestCompany): Promise<(string | undefined)[]> {
  const found = new Map((await listed(reader)).map((one) => [one.transaction_id, one.position]));
  return ids.map((id) => found.get(id));
}

const summaryOf = async (reader: TestCompany): Promise<unknown> =>
  (await reader.test.get(`${reconciliation}/summary`).expect(200)).body;

test("each bank closes its month without the money of the other bank's completion", async () => {
  for (const at of [0, 1] as const) {
    await upload(banks[at], [{ cents: amount, id: ids[at] }]);
    expect(await positionsOf(banks[at])).toEqual(
      at === 0 ? ['matched', 'completed_by_another'] : ['completed_by_another', 'matched'],
    );
    expect(await summaryOf(banks[at])).toMatchObject({ open: 0, days_to_compare: 0 });
    expect(await listed(banks[at], 'open=1')).toEqual([]);
    expect(await listed(banks[at], 'position=unconfirmed')).toEqual([]);
  }
  const another = await readMoney(banks[0].test, ids[1]);
  expect(another).toMatchObject({ is_open: false, completed_by_you: false, due_day: null, entries: [] });
});

test('a bank without statements confirms only its own completion', async () => {
  expect(await positionsOf(banks[0])).toEqual(['unconfirmed', 'completed_by_another']);
  const rows = await listed(banks[0], 'position=completed_by_another');
  expect(rows).toMatchObject([{ transaction_id: ids[1], completed_by_you: false }]);
});

test('the company expects the money of both banks', async () => {
  await upload(setup.company, [{ cents: amount, id: ids[0] }]);
  expect(await positionsOf(setup.company)).toEqual(['matched', 'completed_without_money']);
  expect(await summaryOf(setup.company)).toMatchObject({ open: 1 });
});

test("money in a bank's own statement stays visible, whoever completed the contribution", async () => {
  await upload(banks[0], [
    { cents: amount, id: ids[0] },
    { cents: 20_00n, id: ids[1] },
  ]);
  expect(await positionsOf(banks[0])).toEqual(['matched', 'short']);
  expect(await summaryOf(banks[0])).toMatchObject({ open: 1 });
});

test("a return that the other bank recorded is not expected in a bank's own statements", async () => {
  const kind = { kind: 'return', amount: '25.50', bank_reference: 'RT-1' };
  await banks[1].test.post(`/company/integration/contributions/${ids[1]}/returns`, kind).expect(201);
  await upload(banks[0], [{ cents: amount, id: ids[0] }]);
  expect(await positionsOf(banks[0])).toEqual(['matched', 'completed_by_another']);
  const seen = { position: 'returned_without_credit', is_open: true };
  expect(await readMoney(banks[1].test, ids[1])).toMatchObject(seen);
  // Its own statement shows that this money went back.
  await upload(banks[0], [
    { cents: amount, id: ids[0] },
    { cents: amount, id: ids[1], direction: 'debit', reference: 'R-9' },
  ]);
  expect(await readMoney(banks[0].test, ids[1])).toMatchObject(seen);
});
