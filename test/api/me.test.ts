import { startService, type TestCompany, type TestService } from '../support/service';

const path = '/company/integration/me';

let service: TestService;
let company: TestCompany;

beforeAll(async () => {
  service = await startService({
    settings: {
      RATE_LIMIT_PER_SECOND: '40',
      COMPLETION_RATE_LIMIT_PER_SECOND: '1500',
      RATE_LIMIT_BURST_SECONDS: '3',
    },
  });
  company = await service.addCompany();
});
afterAll(() => service.stop());

interface Me {
  company: { company_name: string; status: string };
  environment: string;
  key_pair: { api_key: string; scopes: string[]; created_at: string; expires_at: string | null };
  links: { data: { role: string; company_name: string; linked_at: string }[]; has_more: boolean } | null;
  rate_limits: unknown;
}
const meOf = async (client: TestCompany['test']): Promise<Me> =>
  (await client.get(path).expect(200)).body as Me;

test('a caller learns its company, environment, key pair and rate limits', async () => {
  const { rows } = await service.database.admin.query<{ company_id: string; tag: string }>(
    `SELECT company_id, transaction_tag AS tag FROM companies JOIN environments USING (company_id)
      WHERE name = $1 AND kind = 'test'`,
    [company.name],
  );
  const response = await company.test.get(path).expect(200);
  expect(response.body).toEqual({
    company: { company_id: rows[0]!.company_id, company_name: company.name, status: 'active' },
    environment: 'test',
    transaction_id_prefix: rows[0]!.tag,
    key_pair: {
      api_key: company.test.apiKey,
      scopes: expect.arrayContaining(['contributions:create', 'sandbox']),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      expires_at: null,
    },
    links: { data: [], has_more: false },
    rate_limits: {
      requests: { per_second: 40, burst: 120 },
      completions: { per_second: 1_500, burst: 4_500 },
      batches: { per_second: 3, burst: 9 },
    },
    service_version: expect.stringMatching(/^\d+\.\d+\.\d+/),
  });
  expect(response.get('Cache-Control')).toBe('no-store');
  expect(response.text).not.toContain(company.test.apiSecret);
});

test('each pair gets its own environment', async () => {
  expect((await meOf(company.test)).environment).toBe('test');
  const { environment, key_pair: pair } = await meOf(company.production);
  expect([environment, pair.api_key]).toEqual(['production', company.production.apiKey]);
});

test('a pair learns its scopes, and without contributions:read no link', async () => {
  const other = await service.addCompany();
  const bank = await service.addCompany();
  await service.companies.linkBank('test', other.name, bank.name);
  const pair = await service.addPair(other, 'test', ['projects:read']);
  const { key_pair: own, links } = await meOf(pair);
  expect([own.scopes, links]).toEqual([['projects:read'], null]);
  expect((await pair.get('/company/integration/links')).status).toBe(403);
});

test('a company and its bank see the link from their sides, and not after its end', async () => {
  const other = await service.addCompany();
  const bank = await service.addCompany();
  await service.companies.linkBank('test', other.name, bank.name);
  const linked = { linked_at: expect.any(String), company_id: expect.any(String) };
  expect((await meOf(other.test)).links).toEqual({
    data: [{ role: 'bank', company_name: bank.name, ...linked }],
    has_more: false,
  });
  expect((await meOf(bank.test)).links!.data).toEqual([
    { role: 'company', company_name: other.name, ...linked },
  ]);
  expect((await meOf(bank.production)).links!.data).toEqual([]);
  await service.companies.unlinkBank('test', other.name, bank.name);
  expect((await meOf(other.test)).links!.data).toEqual([]);
});

test('a suspended company is told so', async () => {
  const other = await service.addCompany();
  const set = (column: string): Promise<unknown> =>
    service.database.admin.query(`UPDATE companies SET ${column} = now() WHERE name = $1`, [other.name]);
  await set('suspended_at');
  expect((await meOf(other.test)).company.status).toBe('suspended');
});

test('a frozen company gets 503 company_frozen, as for every request', async () => {
  const other = await service.addCompany();
  await service.database.admin.query(
    `UPDATE companies SET frozen_at = now(), frozen_reason = 'an investigation' WHERE name = $1`,
    [other.name],
  );
  const response = await other.test.get(path).expect(503);
  expect(response.body).toMatchObject({ code: 'company_frozen' });
});

test('a pair that expires says when, and afterwards gets 401', async () => {
  const other = await service.addCompany();
  const expiresAt = new Date(Date.now() + 3_600_000);
  await service.database.admin.query('UPDATE key_pairs SET expires_at = $2 WHERE api_key = $1', [
    other.test.apiKey,
    expiresAt,
  ]);
  expect((await meOf(other.test)).key_pair.expires_at).toBe(expiresAt.toISOString());
});

test('the limits that an operator set for an environment replace the settings', async () => {
  const other = await service.addCompany();
  await service.database.admin.query(
    `UPDATE environments SET requests_per_second = 7, completions_per_second = 2500
      WHERE kind = 'test' AND company_id = (SELECT company_id FROM companies WHERE name = $1)`,
    [other.name],
  );
  expect((await meOf(other.test)).rate_limits).toEqual({
    requests: { per_second: 7, burst: 21 },
    completions: { per_second: 2_500, burst: 7_500 },
    batches: { per_second: 5, burst: 15 },
  });
});

test('no pair and a wrong secret get 401', async () => {
  await service.anonymous.get(path).expect(401);
});
