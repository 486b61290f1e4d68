import { encodeCursor } from '../../src/shared/cursor';
import type { Client } from '../support/client';
import { startService, type TestCompany, type TestService } from '../support/service';

/** A bank lists its companies, and a company its banks. */
let service: TestService;

const links = '/company/integration/links';

interface Listed {
  data: { role: string; company_id: string; company_name: string; linked_at: string }[];
  has_more: boolean;
  next_cursor: string | null;
}

async function list(client: Client, query = ''): Promise<Listed> {
  return (await client.get(`${links}?${query}`).expect(200)).body as Listed;
}

const namesOf = ({ data }: Listed): string[][] => data.map((link) => [link.role, link.company_name]);

const linkBank = (company: TestCompany, bank: TestCompany, kind: 'test' | 'production' = 'test') =>
  service.companies.linkBank(kind, company.name, bank.name);

async function addCompanies(count: number): Promise<TestCompany[]> {
  const companies: TestCompany[] = [];
  while (companies.length < count) companies.push(await service.addCompany());
  return companies;
}

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

test('without a link the list is empty', async () => {
  const { test: client } = await service.addCompany();
  expect(await list(client)).toEqual({ data: [], has_more: false, next_cursor: null });
});

test('each side sees the other with its id and the start of the link', async () => {
  const [company, bank] = (await addCompanies(2)) as [TestCompany, TestCompany];
  await linkBank(company, bank);
  const { rows } = await service.database.admin.query<{
    name: string;
    company_id: string;
    linked_at: Date;
  }>(
    `SELECT name, company_id, (SELECT linked_at FROM bank_links ORDER BY linked_at DESC LIMIT 1)
       FROM companies WHERE name = ANY ($1) ORDER BY name = $2 DESC`,
    [[company.name, bank.name], company.name],
  );
  const [ofCompany, ofBank] = rows.map(({ name, company_id, linked_at }) => ({
    company_id,
    company_name: name,
    linked_at: linked_at.toISOString(),
  }));
  const onlyOne = { has_more: false, next_cursor: null };
  expect(await list(bank.test)).toEqual({ data: [{ role: 'company', ...ofCompany }], ...onlyOne });
  expect(await list(company.test)).toEqual({ data: [{ role: 'bank', ...ofBank }], ...onlyOne });
});

test('a company that is also a bank sees both kinds, including links in both directions with one partner', async () => {
  const [company, bank, other] = (await addCompanies(3)) as [TestCompany, TestCompany, TestCompany];
  await linkBank(company, bank);
  await linkBank(bank, company);
  await linkBank(bank, other);
  expect(namesOf(await list(bank.test))).toEqual([
    ['company', company.name],
    ['bank', company.name],
    ['bank', other.name],
  ]);
});

test('no other company sees the link, and neither side sees it in the other environment', async () => {
  const [company, bank, stranger] = (await addCompanies(3)) as [TestCompany, TestCompany, TestCompany];
  await linkBank(company, bank);
  for (const client of [stranger.test, stranger.production, company.production, bank.production]) {
    expect((await list(client)).data).toEqual([]);
  }
});

test('an ended link is not listed; after it is linked again, it is listed with its new start', async () => {
  const [company, bank] = (await addCompanies(2)) as [TestCompany, TestCompany];
  await linkBank(company, bank);
  const [before] = (await list(bank.test)).data;
  await service.companies.unlinkBank('test', company.name, bank.name);
  expect((await list(bank.test)).data).toEqual([]);
  expect((await list(company.test)).data).toEqual([]);
  await new Promise((resolve) => setTimeout(resolve, 5));
  await linkBank(company, bank);
  const again = (await list(bank.test)).data;
  expect(again).toHaveLength(1);
  expect(again[0]!.linked_at > before!.linked_at).toBe(true);
});

test.each([1, 2, 3, 7])('pages of %d show each link once, oldest first', async (limit) => {
  const [bank, ...companies] = (await addCompanies(7)) as [TestCompany, ...TestCompany[]];
  for (const company of companies) await linkBank(company, bank);
  // Several start at the same instant and are then sorted by company.
  await service.database.admin.query(
    `UPDATE bank_links SET linked_at = '2026-01-01T00:00:00Z'
      WHERE environment_id IN (SELECT environment_id FROM environments JOIN companies USING (company_id)
                                WHERE name = ANY ($1))`,
    [companies.slice(0, 4).map(({ name }) => name)],
  );
  const shown: string[][] = [];
  let cursor: string | null = null;
  do {
    const page: Listed = await list(bank.test, `limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`);
    expect(page.data.length).toBeLessThanOrEqual(limit);
    expect(page.has_more).toBe(page.next_cursor !== null);
    shown.push(...namesOf(page));
    cursor = page.next_cursor;
  } while (cursor !== null);
  expect(shown).toHaveLength(6);
  expect(shown.slice(4)).toEqual(companies.slice(4).map(({ name }) => ['company', name]));
  expect(shown.slice(0, 4).sort()).toEqual(
    companies
      .slice(0, 4)
      .map(({ name }) => ['company', name])
      .sort(),
  );
});

const companyId = '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b';

test.each([
  ['of another list', encodeCursor([0, 1])],
  ['with another role', encodeCursor([1, 'owner', companyId])],
  ['with a company that is not a UUID', encodeCursor([1, 'bank', 'x'])],
  ['with a time that is not an integer', encodeCursor([1.5, 'bank', companyId])],
  ['with too much', encodeCursor([1, 'bank', companyId, 1])],
  ['of no form', 'nonsense!'],
])('a cursor %s is rejected with 400', async (_what, cursor) => {
  const { test: client } = await service.addCompany();
  const response = await client.get(`${links}?cursor=${encodeURIComponent(cursor)}`).expect(400);
  expect(response.body).toMatchObject({
    code: 'invalid_request',
    errors: [{ parameter: 'cursor', code: 'invalid_format' }],
  });
});

test.each([Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER])(
  'a cursor with the largest possible time (%d) is accepted',
  async (time) => {
    const { test: client } = await service.addCompany();
    expect((await list(client, `cursor=${encodeCursor([time, 'bank', companyId])}`)).data).toEqual([]);
  },
);
