import http, { type IncomingHttpHeaders } from 'node:http';

import { listContracts } from '../../src/contracts';
import { drawKeyPair } from '../../src/core/key-pairs/credentials';
import { addProject } from '../support/catalogue';
import type { Client, Credentials } from '../support/client';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';
import { scopes } from '../support/scopes';

const projects = '/company/integration/get/projects';
const contracts = listContracts({ minimumCents: 1n, maximumCents: 100n });
const operations = contracts.map(({ method, path, scope }) => ({
  method,
  path: path.replace(/\{transaction_id\}/, 'K7Q20CR5M3V9XHG').replace(/\{\w+\}/, '1'),
  scope,
}));

let service: TestService;
let company: TestCompany;
let projectId: number;

beforeAll(async () => {
  service = await startService();
  company = await service.addCompany();
  projectId = await addProject(service.database.admin);
});
afterAll(() => service.stop());

/** Sends exactly these headers; an array is sent as several headers. */
async function getWith(
  headers: Record<string, string | string[]>,
): Promise<{ status: number | undefined; headers: IncomingHttpHeaders; text: string }> {
  return new Promise((resolve, reject) => {
    const request = http.get({ port: service.port, path: projects, headers, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => {
        resolve({ status: response.statusCode, headers: response.headers, text });
      });
    });
    request.on('error', reject);
  });
}

function headersOf({ apiKey, apiSecret }: Credentials): Record<string, string> {
  return { 'API-Key': apiKey!, 'API-Secret': apiSecret! };
}

describe('malformed credentials', () => {
  const changed = (text: string) => text.slice(0, -10) + (text.at(-10) === 'a' ? 'b' : 'a') + text.slice(-9);

  test.each<[string, (test: Client, production: Client) => Record<string, string | string[]>, RegExp]>([
    ['without API-Key', ({ apiSecret }) => ({ 'API-Secret': apiSecret! }), /Missing: API-Key\./],
    ['without API-Secret', ({ apiKey }) => ({ 'API-Key': apiKey! }), /Missing: API-Secret\./],
    ['without both', () => ({}), /Missing: API-Key, API-Secret\./],
    ['with an empty API-Key', (test) => ({ ...headersOf(test), 'API-Key': '' }), /Missing: API-Key\./],
    [
      'with an empty API-Secret',
      (test) => ({ ...headersOf(test), 'API-Secret': '' }),
      /Missing: API-Secret\./,
    ],
    ['swapped', ({ apiKey, apiSecret }) => ({ 'API-Key': apiSecret!, 'API-Secret': apiKey! }), /swapped/],
    [
      'with a truncated secret',
      (test) => ({ ...headersOf(test), 'API-Secret': test.apiSecret!.slice(0, -1) }),
      /API-Secret is truncated/,
    ],
    [
      'with a changed character in the secret',
      (test) => ({ ...headersOf(test), 'API-Secret': changed(test.apiSecret!) }),
      /API-Secret is truncated or mistyped/,
    ],
    [
      'with another prefix of the key',
      (test) => ({ ...headersOf(test), 'API-Key': test.apiKey!.replace('cpk_', 'pk_') }),
      /API-Key is malformed/,
    ],
    [
      'with another prefix of the secret',
      (test) => ({ ...headersOf(test), 'API-Secret': test.apiSecret!.replace('cps_', 'sk_') }),
      /API-Secret/,
    ],
    [
      'with the key of test and the secret of production',
      (test, production) => ({ 'API-Key': test.apiKey!, 'API-Secret': production.apiSecret! }),
      /API-Key is for test, but API-Secret is for production/,
    ],
    [
      'with API-Key sent twice',
      (test) => ({ ...headersOf(test), 'API-Key': [test.apiKey!, test.apiKey!] }),
      /API-Key/,
    ],
    [
      'with API-Secret sent twice',
      (test) => ({ ...headersOf(test), 'API-Secret': [test.apiSecret!, test.apiSecret!] }),
      /API-Secret/,
    ],
    [
      'in the Authorization header',
      (test) => ({ Authorization: `Basic ${btoa(`${test.apiKey!}:${test.apiSecret!}`)}` }),
      /Missing: API-Key, API-Secret\./,
    ],
  ])('%s get 401 with a hint and a challenge', async (_how, headers, hint) => {
    const response = await getWith(headers(company.test, company.production));
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']).toMatch(/^API-Key realm=".+"$/);
    expect(response.headers.environment).toBeUndefined();
    const problem = JSON.parse(response.text) as { code: string; detail: string; retryable: boolean };
    expect(problem).toMatchObject({ code: 'credentials_malformed', retryable: false });
    expect(problem.detail).toMatch(hint);
    for (const { apiKey, apiSecret } of [company.test, company.production]) {
      expect(response.text).not.toContain(apiSecret!.slice(10, 30));
      expect(response.text).not.toContain(apiKey!);
    }
  });

  test.each(operations)('are rejected by $method $path', async ({ method, path }) => {
    const response = await service.anonymous.raw(method, path);
    expect(response.status).toBe(401);
    expect(response.body.code).toBe('credentials_malformed');
  });
});

describe('well-formed but invalid credentials', () => {
  /** The whole response without the parts that differ per request. */
  async function refusalOf(credentials: Credentials): Promise<unknown> {
    const { status, headers, text } = await getWith(headersOf(credentials));
    const requestId = headers['x-request-id'] as string;
    const others = { ...headers, date: '<date>', 'x-request-id': '<request_id>' };
    return { status, headers: others, text: text.replace(requestId, '<request_id>') };
  }

  async function pairOf(name: string, expiresAt?: Date): Promise<Credentials> {
    await service.companies.create(name);
    return service.keyPairs.issue({ company: name, kind: 'test', scopes, expiresAt });
  }

  test('get 401 with a challenge and no environment', async () => {
    const response = await getWith(headersOf(drawKeyPair('production')));
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']).toMatch(/^API-Key realm=".+"$/);
    expect(response.headers.environment).toBeUndefined();
    expect(JSON.parse(response.text)).toMatchObject({ code: 'credentials_invalid', retryable: false });
  });

  test("get identical responses, whether unknown, wrong, revoked, expired or another company's", async () => {
    const unknown = await refusalOf(drawKeyPair('test'));
    const wrong = await refusalOf({ ...drawKeyPair('test'), apiKey: company.test.apiKey });
    const revokedPair = await pairOf('Revoked');
    await service.keyPairs.revoke(revokedPair.apiKey!);
    const expired = await pairOf('Expired', new Date(Date.now() - 1_000));
    const other = await pairOf('Other');
    expect(wrong).toEqual(unknown);
    expect(await refusalOf(revokedPair)).toEqual(unknown);
    expect(await refusalOf(expired)).toEqual(unknown);
    expect(await refusalOf({ apiKey: company.test.apiKey, apiSecret: other.apiSecret })).toEqual(unknown);
  });

  test('get 401 on every attempt, also between valid requests with the same key', async () => {
    const right = company.test;
    const wrong = { ...drawKeyPair('test'), apiKey: right.apiKey };
    const statuses: (number | undefined)[] = [];
    for (const pair of [wrong, right, wrong, right, wrong, wrong, right]) {
      statuses.push((await getWith(headersOf(pair))).status);
    }
    expect(statuses).toEqual([401, 200, 401, 200, 401, 401, 200]);
  });

  test('get 401 from the completion, which checks the key pair again, and complete nothing', async () => {
    const pair = await pairOf('Revoked behind the back');
    const created = await service.anonymous
      .raw('put', '/company/integration/contributions/create')
      .set(headersOf(pair))
      .send({ project_id: projectId, amount: '1.00', user_hash: 'hash' });
    const transactionId = created.body.transaction_id as string;
    // No notification is sent: only the completion's statement can detect this.
    await service.database.admin.query('UPDATE key_pairs SET revoked_at = now() WHERE api_key = $1', [
      pair.apiKey,
    ]);
    const refused = await service.anonymous
      .raw('put', `/company/integration/contributions/${transactionId}`)
      .set(headersOf(pair))
      .send({ status: 'completed' });
    const unknown = await getWith(headersOf(drawKeyPair('test')));
    const { rows } = await service.database.admin.query(
      'SELECT status FROM transactions WHERE transaction_id = $1',
      [transactionId],
    );
    expect(rows).toEqual([{ status: 'pending' }]);
    expect(refused.status).toBe(401);
    expect(refused.text.replace(refused.body.request_id as string, '')).toBe(
      unknown.text.replace(unknown.headers['x-request-id'] as string, ''),
    );
    expect(refused.get('WWW-Authenticate')).toBe(unknown.headers['www-authenticate']);
  });

  test('include an expired key pair that was used before', async () => {
    const expiresAt = new Date(Date.now() + 300);
    const pair = await pairOf('Soon expired', expiresAt);
    expect((await getWith(headersOf(pair))).status).toBe(200);
    await until('the pair has expired', () => Date.now() >= expiresAt.getTime());
    expect((await getWith(headersOf(pair))).status).toBe(401);
  });
});
