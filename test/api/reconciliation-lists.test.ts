import { compareAll } from '../support/compare-all';
import { type Completions, createCompletions } from '../support/completions';
import { startService, type TestCompany, type TestService } from '../support/service';
import { type Line, statementFile, uploadAndWait } from '../support/statement-files';
import { readEntries, readMoney } from '../support/statement-setup';

/** Lists of positions. Contributions are 25.50 dollars. */
let service: TestService;
let company: TestCompany;
let contributions: Completions;
/** Every fifth contribution is open, because its money is short. */
let shortIds: string[];

const path = '/company/integration/reconciliation';
interface List {
  data: { transaction_id: string; position: string }[];
  has_more: boolean;
  next_cursor: string | null;
}
const list = async (query: string): Promise<List> =>
  (await company.test.get(`${path}?${query}`).expect(200)).body as List;

beforeAll(async () => {
  service = await startService({ settings: { SANDBOX_REQUEST_LOG: 'off' } });
  company = await service.addCompany('Acme');
  contributions = await createCompletions(service, company);
  const ids: string[] = [];
  for (let count = 0; count < 25; count += 1) ids.push(await contributions.create());
  shortIds = ids.filter((_, at) => at % 5 === 4);
  await Promise.all(
    ids.map((id) =>
      contributions
        .complete(company.test, id, { bank_reference: `FT-${id}`, value_date: '2026-11-19' })
        .expect(200),
    ),
  );
  const lines = shortIds.map((id) => ({ id, cents: 20_00n, reference: `R-${id}` }));
  await uploadAndWait(company.test, statementFile(lines, { from: '2026-11-20' }));
});
afterAll(() => service.stop());

test('a page of open positions is full, even if few contributions are open', async () => {
  const found: string[] = [];
  let query = 'open=1&limit=2';
  const sizes: number[] = [];
  for (;;) {
    const { data, has_more: hasMore, next_cursor: next } = await list(query);
    sizes.push(data.length);
    found.push(...data.map(({ transaction_id: id }) => id));
    if (!hasMore) break;
    query = `open=1&limit=2&cursor=${next ?? ''}`;
  }
  expect(found).toEqual(shortIds);
  expect(sizes.slice(0, 3)).toEqual([2, 2, 1]);
});

test('a list that fits on one page has no further page', async () => {
  expect(await list('open=1')).toMatchObject({ data: { length: shortIds.length }, has_more: false });
  expect(await list('position=unconfirmed')).toMatchObject({ data: { length: 20 }, has_more: false });
  expect(await list('position=over&limit=1')).toMatchObject({ data: [], has_more: false });
});

test('a position says who created the contribution, when, and how it was completed', async () => {
  const [id = ''] = shortIds;
  const { data } = await list('open=1&limit=1');
  const { body: contribution } = await contributions.read(company.test, id).expect(200);
  const { created_at, completed_at } = contribution as Record<string, unknown>;
  const expected = {
    transaction_id: id,
    company_name: 'Acme',
    created_at,
    completed_at,
    bank_reference: `FT-${id}`,
    value_date: '2026-11-19',
  };
  expect(data[0]).toMatchObject(expected);
  const { body } = await company.test.get(`/company/integration/contributions/${id}/money`).expect(200);
  expect(body).toMatchObject(expected);
});

test('an account whose files are all voided is not listed, unless it has complete coverage', async () => {
  const accounts = '/company/integration/statement-accounts';
  const other = await service.addCompany();
  const { test: client } = other;
  const listed = async (): Promise<string[]> => {
    const { body } = await client.get(accounts).expect(200);
    return (body as { data: { account_id: string }[] }).data.map(({ account_id: id }) => id);
  };
  const file = await uploadAndWait(client, statementFile([], { from: '2026-11-20' }));
  const [id = ''] = await listed();
  expect(id).not.toBe('');
  await client.put(`${accounts}/${id}`, { complete_coverage: true }).expect(200);
  await client
    .post(`/company/integration/statements/${file.file_id}/void`, { reason: 'wrong account' })
    .expect(200);
  expect(await listed()).toEqual([id]);
  await client.put(`${accounts}/${id}`, { complete_coverage: false }).expect(200);
  expect(await listed()).toEqual([]);
  await uploadAndWait(client, statementFile([], { from: '2026-11-20' }));
  expect(await listed()).toEqual([id]);
});

test('an account whose number belongs to another one is not listed, covers nothing and asks nothing', async () => {
  const { test: client, ...other } = await service.addCompany();
  const accounts = '/company/integration/statement-accounts';
  const statements = '/company/integration/statements';
  const day = { from: '2026-11-18' };
  const own = await createCompletions(service, { test: client, ...other });
  const id = await own.createCompleted('25.50', { value_date: day.from });
  const upload = async (account: string, lines: Line[] = []): Promise<[file: string, account: string]> => {
    const { file_id: fileId } = await uploadAndWait(client, statementFile(lines, { ...day, account }));
    const { body } = await client.get(accounts).expect(200);
    const { data } = body as { data: { account_id: string }[] };
    const accountId = data.at(-1)?.account_id ?? '';
    await client.put(`${accounts}/${accountId}`, { complete_coverage: true, grace_days: 0 }).expect(200);
    return [fileId, accountId];
  };
  const [, kept] = await upload('ACCOUNT-NUMBER-0001');
  const rent = { cents: 7_00n, text: 'rent', reference: 'R-1', date: day.from };
  const [mistaken, further] = await upload('ACCOUNT-NUMBER-0002', [rent]);
  const [entry] = await readEntries(client, mistaken);
  const decision = { action: 'ignore', reason: 'rent' };
  await client.post(`${statements}/entries/${entry?.entry_id}/decisions`, decision).expect(200);
  await client.post(`${statements}/${mistaken}/void`, { reason: 'one account' }).expect(200);
  await compareAll(service);
  const shown = async () => {
    const { body } = await client.get(accounts).expect(200);
    const { body: questions } = await client.get(`${path}/questions`).expect(200);
    const { body: month } = await client.get(`${path}/can-close?month=2026-11`).expect(200);
    return {
      accounts: (body as { data: { account_id: string }[] }).data.map((one) => one.account_id),
      questions: (questions as { data: { kind: string }[] }).data.map(({ kind }) => kind),
      isAsked: JSON.stringify(month).includes('decision_without_line'),
      position: (await readMoney(client, id)).position,
    };
  };
  const lost = { questions: ['decision_without_line'], isAsked: true };
  const apart = { accounts: [kept, further], ...lost, position: 'unconfirmed' };
  expect(await shown()).toEqual(apart);
  const added = { other_account_id: further, reason: 'one account' };
  await client.post(`${accounts}/${kept}/numbers`, added).expect(200);
  const position = 'completed_without_money';
  expect(await shown()).toEqual({ accounts: [kept], questions: [], isAsked: false, position });
  await client.raw('delete', `${accounts}/${kept}/numbers/${further}`).expect(204);
  expect(await shown()).toEqual(apart);
});

test('an account whose files state no number has the name that the uploader chose', async () => {
  const { test: client } = await service.addCompany();
  const mapping = encodeURIComponent('{"date":"Date","amount":"Amount","texts":["Text"]}');
  const query = `?account=collecting-usd&mapping=${mapping}`;
  await uploadAndWait(client, 'Date,Amount,Text\n2026-11-20,25.00,a gift\n', query);
  const { body } = await client.get('/company/integration/statement-accounts').expect(200);
  expect(body).toMatchObject({ data: [{ account_ending: null, account_name: 'collecting-usd' }] });
});

test.each(['', '/summary'])('%s rejects a range that ends before it starts', async (operation) => {
  for (const to of ['2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z']) {
    const query = `from=2026-12-01T00:00:00Z&to=${to}`;
    const { body } = await company.test.get(`${path}${operation}?${query}`).expect(400);
    expect(body).toMatchObject({
      code: 'invalid_request',
      errors: [{ parameter: 'to', code: 'out_of_range' }],
    });
  }
  await company.test
    .get(`${path}${operation}?from=2026-12-01T00:00:00Z&to=2026-12-01T00:00:00.001Z`)
    .expect(200);
});
