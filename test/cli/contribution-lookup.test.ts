import type { TotalsFilter } from '../../src/features/totals/cli/totals-lookup.store';
import type { TransactionFilter } from '../../src/operator/contribution-lookup/transaction-lookup.store';
import { addProject } from '../support/catalogue';
import { operate } from '../support/operations';
import { countAll } from '../support/totals';
import { startService, type TestCompany, type TestService } from '../support/service';

/** What operators see of the contributions of all companies. */
let service: TestService;
let acme: TestCompany;
let other: TestCompany;
let first: string;
let second: string;
let elsewhere: string;
const contributions = '/company/integration/contributions';

beforeAll(async () => {
  service = await startService();
  [acme, other] = [await service.addCompany('Acme'), await service.addCompany('Other')];
  const projectId = await addProject(service.database.admin);
  const create = async (company: TestCompany): Promise<string> => {
    const body = { project_id: projectId, amount: '7.50', user_hash: 'secret-hash', name: 'Amelia' };
    const response = await company.test.put(`${contributions}/create`, body).expect(201);
    return (response.body as { transaction_id: string }).transaction_id;
  };
  [first, second, elsewhere] = [await create(acme), await create(acme), await create(other)];
  await acme.test
    .put(`${contributions}/${first}`, { status: 'completed', bank_reference: 'B-1' })
    .expect(200);
  await acme.test.put(`${contributions}/${first}`, { status: 'completed', amount: '9.00' }).expect(409);
});
afterAll(() => service.stop());

const list = async (filter: Partial<TransactionFilter>): Promise<string[]> =>
  (
    await operate(service.database, ({ transactions }) => transactions.list({ limit: 10, ...filter }), 'read')
  ).map(({ transactionId }) => transactionId);

test('one contribution is shown with its company and completer, without the user hash and name', async () => {
  const shown = await operate(service.database, ({ transactions }) => transactions.find(first), 'read');
  expect(shown).toMatchObject({
    company: 'Acme',
    kind: 'test',
    status: 'completed',
    amount: '7.50',
    completedBy: 'Acme',
    bankReference: 'B-1',
    createdByApiKey: acme.test.apiKey,
  });
  expect(JSON.stringify(shown)).not.toMatch(/secret-hash|Amelia/);
});

test('lists show the latest first, and filter by company, kind, status, time and bank reference', async () => {
  expect(await list({})).toEqual([elsewhere, second, first]);
  expect(await list({ limit: 1 })).toEqual([elsewhere]);
  expect(await list({ company: 'Acme' })).toEqual([second, first]);
  expect(await list({ kind: 'production' })).toEqual([]);
  expect(await list({ status: 'completed' })).toEqual([first]);
  expect(await list({ bankReference: 'B-1' })).toEqual([first]);
  expect(await list({ createdTo: new Date(Date.now() - 3_600_000) })).toEqual([]);
  expect(await list({ createdFrom: new Date(Date.now() - 3_600_000), company: 'Other' })).toEqual([
    elsewhere,
  ]);
});

test('totals add up the contributions of each group', async () => {
  await countAll(service.database.admin);
  const [from, to] = ['2020-01-01', '2100-01-01'];
  const totals = (filter: Partial<TotalsFilter>) =>
    operate(
      service.database,
      (operations) => operations.totals.list({ from, to, basis: 'created', by: 'company', ...filter }),
      'read',
    );
  const { lines, completeUntil } = await totals({});
  expect(completeUntil).toBeNull();
  expect(lines.map(({ key, contributions: count, netAmount }) => [key, count, netAmount])).toEqual([
    ['Acme', 2, '7.50'],
    ['Other', 1, '0.00'],
  ]);
  const { lines: ofAcme } = await totals({ company: 'Acme', kind: 'test', by: 'status' });
  expect(ofAcme.map(({ key, amount }) => [key, amount])).toEqual([
    ['completed', '7.50'],
    ['pending', '7.50'],
  ]);
  expect((await totals({ kind: 'production' })).lines).toEqual([]);
  expect((await totals({ basis: 'value_date' })).lines).toEqual([]);
});

test('contributions that are pending for too long are overdue, oldest first', async () => {
  const overdue = async (hours: number): Promise<string[]> =>
    (await operate(service.database, ({ transactions }) => transactions.listOverdue(hours, 10), 'read')).map(
      ({ transactionId }) => transactionId,
    );
  expect(await overdue(24)).toEqual([]);
  expect(await overdue(0)).toEqual([second, elsewhere]);
});

test('the history of a contribution lists its events, oldest first', async () => {
  const history = await operate(service.database, ({ events }) => events.history(first), 'read');
  expect(history.map(({ type, actor }) => [type, actor])).toEqual([
    ['contribution.created', 'Acme'],
    ['contribution.completed', 'Acme'],
    ['contribution.completion_refused', 'Acme'],
  ]);
  expect(history[2]?.evidence).toEqual({ amount_cents: 900 });
});

test('events are listed latest first, and filtered by type, company and time', async () => {
  const types = async (filter: object): Promise<string[]> =>
    (await operate(service.database, ({ events }) => events.list({ limit: 10, ...filter }), 'read')).map(
      ({ transactionId, type }) => `${transactionId} ${type}`,
    );
  expect(await types({ types: ['contribution.completion_refused'] })).toEqual([
    `${first} contribution.completion_refused`,
  ]);
  expect(await types({ company: 'Other' })).toEqual([`${elsewhere} contribution.created`]);
  expect(await types({ since: new Date(Date.now() + 3_600_000) })).toEqual([]);
});

test('companies are listed with live pairs, banks and rate limits; suspending twice changes nothing', async () => {
  await operate(service.database, async ({ companies }) => {
    await companies.linkBank('production', 'Acme', 'Other');
    await companies.setRateLimits('test', 'Acme', { requestsPerSecond: 7 });
  });
  const listed = await operate(
    service.database,
    ({ companiesOverview }) => companiesOverview.list('Acme'),
    'read',
  );
  expect(listed).toHaveLength(1);
  expect(listed[0]?.environments).toEqual([
    expect.objectContaining({ kind: 'production', live_key_pairs: 1, banks: ['Other'] }),
    expect.objectContaining({ kind: 'test', live_key_pairs: 1, banks: [], requests_per_second: 7 }),
  ]);
  const suspend = (name: string, isSuspended: boolean) =>
    operate(service.database, ({ companiesOverview }) => companiesOverview.setSuspended(name, isSuspended));
  expect(await suspend('Acme', true)).toBe(true);
  expect(await suspend('Acme', true)).toBe(false);
  const body = { project_id: 1, amount: '1.00', user_hash: 'u' };
  await acme.test.put(`${contributions}/create`, body).expect(403);
  await other.test.put(`${contributions}/create`, body).expect(201);
  await acme.test.put(`${contributions}/${second}`, { status: 'completed' }).expect(200);
  expect(await suspend('Acme', false)).toBe(true);
  await acme.test.put(`${contributions}/create`, body).expect(201);
  expect(await suspend('Nobody', true)).toBeUndefined();
});
