import { generateTransactionId } from '../../src/shared/transaction-id';
import { addProject } from '../support/catalogue';
import type { Client } from '../support/client';
import { startService, type TestCompany, type TestService } from '../support/service';

/** Reading contributions, to recover from a lost response and to reconcile. */
let service: TestService;
let projectId: number;
let otherProjectId: number;

const contributions = '/company/integration/contributions';

interface Listed {
  data: Record<string, unknown>[];
  has_more: boolean;
  next_cursor: string | null;
  complete_until: string;
}

async function list(client: Client, query: Record<string, string | number> = {}): Promise<Listed> {
  const parameters = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const response = await client.get(`${contributions}?${parameters.join('&')}`).expect(200);
  return response.body as Listed;
}

const idsOf = ({ data }: Listed): unknown[] => data.map(({ transaction_id: id }) => id);

async function create(
  client: Client,
  overrides: Record<string, unknown> = {},
  key?: string,
): Promise<string> {
  const test = client.put(`${contributions}/create`, {
    project_id: projectId,
    amount: '25.50',
    user_hash: 'user==',
    ...overrides,
  });
  const response = await (key === undefined ? test : test.set('Idempotency-Key', key)).expect(201);
  return response.body.transaction_id as string;
}

/** Copies a transaction with given times, which no request can set. */
async function insertCopies(
  id: string,
  times: [createdAt: string, completedAt: string | null][],
): Promise<string[]> {
  const copies: string[] = [];
  for (const [createdAt, completedAt] of times) {
    const copy = generateTransactionId(id.slice(0, 4), new Date());
    await service.database.admin.query(
      `INSERT INTO transactions (environment_id, transaction_id, user_id, project_id, amount_cents, currency, status,
              created_by_api_key, created_at, completed_at, completed_by_environment_id, completed_by_api_key)
       SELECT environment_id, $2, user_id, project_id, amount_cents, currency,
              CASE WHEN $4::timestamptz IS NULL THEN 'pending' ELSE 'completed' END, created_by_api_key,
              $3::timestamptz, $4::timestamptz,
              CASE WHEN $4::timestamptz IS NOT NULL THEN environment_id END,
              CASE WHEN $4::timestamptz IS NOT NULL THEN created_by_api_key END
         FROM transactions WHERE transaction_id = $1`,
      [id, copy, createdAt, completedAt],
    );
    copies.push(copy);
  }
  return copies;
}

/** All pages from first to last. */
async function walk(client: Client, query: Record<string, string | number>): Promise<unknown[][]> {
  const pages: unknown[][] = [];
  let cursor: string | null = null;
  do {
    const page: Listed = await list(client, { ...query, ...(cursor === null ? {} : { cursor }) });
    expect(page.has_more).toBe(page.next_cursor !== null);
    pages.push(idsOf(page));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return pages;
}

beforeAll(async () => {
  service = await startService();
  projectId = await addProject(service.database.admin);
  otherProjectId = await addProject(service.database.admin);
});

afterAll(() => service.stop());

describe('one contribution', () => {
  test.each([
    ['0.01', '0.01'],
    [7, '7.00'],
    ['1000000', '1000000.00'],
    [10.5, '10.50'],
  ])('the amount %j is shown as %s, with all fields that the company knows', async (amount, shown) => {
    const { name: company, test: client } = await service.addCompany();
    const before = Date.now();
    const id = await create(client, { amount, name: 'Zoë' }, 'key 1');
    const response = await client.get(`${contributions}/${id}`).expect(200);

    expect(response.body).toEqual({
      transaction_id: id,
      company_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      company_name: company,
      status: 'pending',
      project_id: projectId,
      amount: shown,
      currency: 'USD',
      returned_amount: '0.00',
      net_amount: shown,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      completed_at: null,
      corrected_at: null,
      completed_by_you: false,
      bank_reference: null,
      value_date: null,
      user_hash: 'user==',
      name: 'Zoë',
      idempotency_key: 'key 1',
    });
    const createdAt = Date.parse(response.body.created_at as string);
    expect(Math.abs(createdAt - before)).toBeLessThan(5_000);
    expect(response.get('Cache-Control')).toBe('no-store');
  });

  test('shows its completion time once it is completed', async () => {
    const { test: client } = await service.addCompany();
    const id = await create(client);
    await client.put(`${contributions}/${id}`, { status: 'completed' }).expect(200);
    const response = await client.get(`${contributions}/${id}`).expect(200);
    expect(response.body).toMatchObject({
      status: 'completed',
      completed_at: expect.stringMatching(/Z$/),
      completed_by_you: true,
      name: null,
      idempotency_key: null,
    });
    expect(response.body.completed_at >= response.body.created_at).toBe(true);
  });
});

describe('the filters', () => {
  let company: TestCompany;
  let ids: string[];

  // 0 and 1 are pending, 2 and 3 completed. Each has its own user and key; 3 has its own project.
  beforeAll(async () => {
    company = await service.addCompany();
    ids = [
      await create(company.test, { user_hash: 'a+/=' }, 'key a'),
      await create(company.test, { user_hash: 'b' }, 'key b'),
      await create(company.test, { user_hash: 'c' }, 'key c'),
      await create(company.test, { user_hash: 'a+/=', project_id: otherProjectId }, 'key d'),
    ];
    for (const id of ids.slice(2)) {
      const evidence = { bank_reference: `FT ${ids.indexOf(id)}`, value_date: '2026-11-20' };
      await company.test.put(`${contributions}/${id}`, { status: 'completed', ...evidence }).expect(200);
    }
  });

  test('without filters, everything is listed, oldest first', async () => {
    expect(idsOf(await list(company.test))).toEqual(ids);
  });

  test.each([
    ['status', 'pending', [0, 1]],
    ['status', 'completed', [2, 3]],
    ['user_hash', 'a+/=', [0, 3]],
    ['user_hash', 'nobody', []],
    ['user_hash', 'A+/=', []],
    ['user_hash', '', [0, 1, 2, 3]],
    ['idempotency_key', 'key b', [1]],
    ['idempotency_key', 'key', []],
    ['created_from', '2000-01-01T00:00:00Z', [0, 1, 2, 3]],
    ['created_to', '2000-01-01T00:00:00Z', []],
    ['created_to', '9999-12-31T23:59:59.999Z', [0, 1, 2, 3]],
    ['completed_from', '2000-01-01T00:00:00Z', [2, 3]],
    ['completed_to', '2000-01-01T00:00:00Z', []],
    ['bank_reference', 'FT 2', [2]],
    ['bank_reference', 'ft 2', []],
    ['bank_reference', 'FT', []],
    ['value_date', '2026-11-20', [2, 3]],
    ['value_date', '2026-11-21', []],
  ])('%s=%s matches exactly the expected contributions', async (name, value, expected) => {
    expect(idsOf(await list(company.test, { [name]: value }))).toEqual(expected.map((index) => ids[index]));
  });

  test('project_id matches the contributions of that project, and an unknown project matches none', async () => {
    expect(idsOf(await list(company.test, { project_id: otherProjectId }))).toEqual([ids[3]]);
    expect(idsOf(await list(company.test, { project_id: '999999999999999999' }))).toEqual([]);
  });

  test('several filters are combined with AND', async () => {
    expect(idsOf(await list(company.test, { user_hash: 'a+/=', status: 'pending' }))).toEqual([ids[0]]);
    expect(idsOf(await list(company.test, { user_hash: 'a+/=', project_id: otherProjectId }))).toEqual([
      ids[3],
    ]);
  });

  test.each([
    [{ bank_reference: 'FT 3', value_date: '2026-11-20' }, [3]],
    [{ bank_reference: 'FT 3', value_date: '2026-11-21' }, []],
    [{ bank_reference: 'FT 3', user_hash: 'a+/=' }, [3]],
    [{ value_date: '2026-11-20', user_hash: 'c' }, [2]],
    [{ value_date: '2026-11-20', status: 'pending' }, []],
    [{ value_date: '2026-11-20', completed_from: '2000-01-01T00:00:00Z' }, [2, 3]],
    [{ bank_reference: 'FT 2', completed_from: '2000-01-01T00:00:00Z' }, [2]],
    [{ bank_reference: 'FT 2', idempotency_key: 'key d' }, []],
  ])('the evidence of a completion is combined with other filters: %j', async (query, expected) => {
    const filters = Object.fromEntries(Object.entries(query));
    expect(idsOf(await list(company.test, filters))).toEqual(expected.map((index) => ids[index]));
  });

  test('time ranges include from and exclude to', async () => {
    const client = (await service.addCompany()).test;
    const [first = '', second = '', third = ''] = await insertCopies(await create(client), [
      ['2026-03-01T00:00:00Z', '2026-04-01T00:00:00Z'],
      ['2026-03-01T00:00:00.000001Z', '2026-04-01T00:00:00.000001Z'],
      ['2026-03-02T00:00:00Z', '2026-04-02T00:00:00Z'],
    ]);
    const [day1, day2] = ['-01T00:00:00Z', '-02T00:00:00Z'];
    const cases: [Record<string, string>, string[]][] = [
      [{ created_from: `2026-03${day1}`, created_to: `2026-03${day2}` }, [first, second]],
      [{ created_from: `2026-03${day2}`, created_to: '2026-03-03T00:00:00Z' }, [third]],
      [{ created_to: `2026-03${day1}` }, []],
      [{ created_from: '2026-03-01T00:00:00.000001Z', created_to: `2026-03${day2}` }, [second]],
      [{ completed_from: `2026-04${day1}`, completed_to: `2026-04${day2}` }, [first, second]],
      [{ completed_from: `2026-04${day2}` }, [third]],
      [{ completed_to: `2026-04${day1}` }, []],
      [{ completed_from: `2026-04${day1}`, created_from: `2026-03${day2}` }, [third]],
    ];
    for (const [query, expected] of cases) expect(idsOf(await list(client, query))).toEqual(expected);
  });

  test('another company and the other environment match nothing', async () => {
    const stranger = await service.addCompany();
    for (const client of [company.production, stranger.test, stranger.production]) {
      for (const query of [
        {},
        { user_hash: 'a+/=' },
        { idempotency_key: 'key a' },
        { project_id: projectId },
        { bank_reference: 'FT 2' },
        { value_date: '2026-11-20' },
      ]) {
        expect(await list(client, query)).toMatchObject({ data: [], has_more: false, next_cursor: null });
      }
    }
  });
});

describe('paging', () => {
  test.each([1, 7, 100])('with limit %d shows each contribution once, in order', async (limit) => {
    const { test: client } = await service.addCompany();
    const original = await create(client);
    // Many at one instant, some a microsecond apart. Within an instant they are sorted by id.
    const instants = ['2026-03-01T00:00:00Z', '2026-03-01T00:00:00.000001Z', '2026-03-01T00:00:00.000002Z'];
    const groups: string[][] = [];
    for (const instant of instants) {
      const times = Array.from({ length: 9 }, (): [string, string] => [instant, '2026-04-01T00:00:00Z']);
      groups.push((await insertCopies(original, times)).sort());
    }
    const sorted = groups.flat();

    const pages = await walk(client, { limit });
    expect(pages.flat()).toEqual([...sorted, original]);
    expect(pages.every((page, index) => page.length === limit || index === pages.length - 1)).toBe(true);
    // A full last page is still the last.
    expect(pages).toHaveLength(Math.ceil((sorted.length + 1) / limit));

    // All have the same completion time.
    const byCompletion = await walk(client, { limit, completed_from: '2026-04-01T00:00:00Z' });
    expect(byCompletion.flat()).toEqual([...sorted].sort());
  });

  test('keeps its position when contributions are added, and ends with those that existed at the first page', async () => {
    const { test: client } = await service.addCompany();
    const original = await create(client);
    const [a, b] = await insertCopies(original, [
      ['2026-03-01T00:00:00Z', null],
      ['2026-03-02T00:00:00Z', null],
    ]);
    const first = await list(client, { limit: 1 });
    expect(idsOf(first)).toEqual([a]);
    await insertCopies(original, [['2026-02-01T00:00:00Z', null]]);
    // Otherwise the next one could have the millisecond of the first page.
    await new Promise((resolve) => setTimeout(resolve, 5));
    const last = await create(client);

    const rest = await list(client, { cursor: first.next_cursor ?? '' });
    expect(idsOf(rest)).toEqual([b, original]);
    expect(idsOf(await list(client, { created_from: first.complete_until }))).toContain(last);
  });

  test('of a bank covers its own contributions and those of all linked companies in one order', async () => {
    const bank = await service.addCompany();
    const companies = [await service.addCompany(), await service.addCompany()];
    for (const { name } of companies) await service.companies.linkBank('test', name, bank.name);
    const ids: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      for (const { test: client } of [...companies, bank]) ids.push(await create(client));
    }
    const stranger = await service.addCompany();
    await create(stranger.test);
    await create(companies[0]!.production);

    expect((await walk(bank.test, { limit: 2 })).flat()).toEqual(ids);
    expect((await walk(bank.production, { limit: 2 })).flat()).toEqual([]);
  });
});
