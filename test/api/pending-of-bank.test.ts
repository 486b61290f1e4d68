import type { Database } from '../../src/db/pool/database';
import { createContributionsListStore } from '../../src/core/contributions/contributions-list.store';
import { type Completions, createCompletions } from '../support/completions';
import { environmentOf } from '../support/environment';
import { startService, type TestCompany, type TestService } from '../support/service';

/** The pending contributions that a bank lists while its link ends, and afterwards. */
let service: TestService;
let [company, bank]: TestCompany[] = [];
let contributions: Completions;

beforeAll(async () => {
  service = await startService({ settings: { SANDBOX_REQUEST_LOG: 'off' } });
});
beforeEach(async () => {
  [company, bank] = [await service.addCompany(), await service.addCompany()];
  contributions = await createCompletions(service, company);
});
afterAll(() => service.stop());

test('a bank whose link has ended lists only those that were created during the link', async () => {
  const before = await contributions.create();
  await contributions.link(bank!);
  const during = await contributions.create();
  expect(await contributions.listed(bank!.test, 'status=pending')).toEqual([before, during]);
  await contributions.unlink(bank!);
  await contributions.create();
  expect(await contributions.listed(bank!.test, 'status=pending')).toEqual([during]);
});

test('a bank that is linked again lists those that were created between its links', async () => {
  await contributions.link(bank!);
  await contributions.unlink(bank!);
  const between = await contributions.create();
  expect(await contributions.listed(bank!.test, 'status=pending')).toEqual([]);
  await contributions.link(bank!);
  expect(await contributions.listed(bank!.test, 'status=pending')).toEqual([between]);
});

test('pages lead through all, and end with the last one', async () => {
  await contributions.link(bank!);
  const ids: string[] = [];
  while (ids.length < 5) ids.push(await contributions.create());
  const shown: string[] = [];
  let cursor = '';
  for (let page = 0; page < 3; page += 1) {
    const path = `/company/integration/contributions?status=pending&limit=2${cursor}`;
    const { body } = await bank!.test.get(path).expect(200);
    const { data, next_cursor: next } = body as {
      data: { transaction_id: string }[];
      next_cursor: string | null;
    };
    shown.push(...data.map(({ transaction_id: id }) => id));
    expect(next === null).toBe(page === 2);
    cursor = `&cursor=${String(next)}`;
  }
  expect(shown).toEqual(ids);
});

test('a list that is being read when the link ends excludes later contributions', async () => {
  await contributions.link(bank!);
  const during = await contributions.create();
  const { database } = service.container;
  let hasEnded = false;
  /** Ends the link after the list has read it, and before it reads the contributions. */
  const run: Database['run'] = async (statement, values) => {
    await contributions.unlink(bank!);
    await contributions.create();
    hasEnded = true;
    return database.run(statement, values);
  };
  const environmentId = await environmentOf(service.database.admin, bank!.name);
  const lists = createContributionsListStore({ ...database, run });
  const page = { order: 'created', limit: 10, after: undefined, requestId: 'r' } as const;
  const listed = await lists.list({ environmentId }, { status: 'pending' }, page);
  expect(hasEnded).toBe(true);
  expect(listed.contributions.map(({ transactionId }) => transactionId)).toEqual([during]);
});
