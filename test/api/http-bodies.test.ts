import http from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

import type { Response } from 'supertest';

import { addProject } from '../support/catalogue';
import { startService, type TestCompany, type TestService } from '../support/service';

const create = '/company/integration/contributions/create';
const order = '/company/integration/orders/make';

let service: TestService;
let company: TestCompany;
let projectId: number;

beforeAll(async () => {
  service = await startService();
  company = await service.addCompany();
  projectId = await addProject(service.database.admin);
});
afterAll(() => service.stop());

const valid = (userHash = 'user') => ({ project_id: projectId, amount: '2.50', user_hash: userHash });

interface HttpResponse {
  status: number;
  code: unknown;
  body: Record<string, unknown>;
}

/** Sends raw bytes with exactly these headers, the credentials and the length. */
async function sendBytes(
  method: 'PUT' | 'POST',
  path: string,
  body: Buffer | string,
  headers: Record<string, string> = { 'Content-Type': 'application/json' },
): Promise<HttpResponse> {
  const { apiKey, apiSecret } = company.test;
  const credentials = { 'API-Key': apiKey!, 'API-Secret': apiSecret! };
  return new Promise((resolve, reject) => {
    const options = { port: service.port, path, method, agent: false };
    const request = http.request(
      { ...options, headers: { ...credentials, ...headers, 'Content-Length': Buffer.byteLength(body) } },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => {
          const parsed = JSON.parse(text) as Record<string, unknown>;
          resolve({ status: response.statusCode ?? 0, code: parsed['code'], body: parsed });
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

const put = (body: Buffer | string, headers?: Record<string, string>) =>
  sendBytes('PUT', create, body, headers);

describe('the media type of a body', () => {
  test.each<[string, string | undefined]>([
    ['none', undefined],
    ['text/plain', 'text/plain'],
    ['a form of another kind', 'application/x-www-form-urlencoded'],
    ['multipart where only JSON is accepted', 'multipart/form-data; boundary=b'],
    ['JSON in Latin-1', 'application/json; charset=latin1'],
    ['JSON in UTF-16', 'application/json; charset=utf-16'],
    ['something that begins like JSON', 'application/json5'],
    ['a JSON dialect', 'application/vnd.api+json'],
    ['nonsense', ';;;'],
  ])('%s gets 415', async (_what, type) => {
    const response = await put(JSON.stringify(valid()), type === undefined ? {} : { 'Content-Type': type });
    expect([response.status, response.code]).toEqual([415, 'unsupported_media_type']);
  });

  test.each([
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json; charset="UTF-8"',
    'application/json ; Charset=utf8',
    'application/json; profile=anything',
  ])('%s is accepted', async (type) => {
    expect((await put(JSON.stringify(valid()), { 'Content-Type': type })).status).toBe(201);
  });
});

describe('a JSON body', () => {
  test.each<[string, Buffer | string]>([
    ['an array', '[]'],
    ['an array of an object', '[{"project_id":1}]'],
    ['a string', '"text"'],
    ['a number', '42'],
    ['null', 'null'],
    ['true', 'true'],
    ['nothing', ''],
    ['spaces only', '   '],
    ['broken JSON', '{"project_id": 1,'],
    ['a trailing comma', '{"project_id": 1,}'],
    ['single quotes', `{'project_id': 1}`],
    ['a comment', '{"project_id": 1 /* the first */}'],
    ['NaN', '{"project_id": NaN}'],
    ['two objects', '{}{}'],
    ['a NUL', '{"project_id": 1}\0'],
    [
      'invalid UTF-8',
      Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]),
    ],
    ['a cut UTF-8 character', Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xe2, 0x82])])],
    ['UTF-16', Buffer.from('\ufeff{}', 'utf16le')],
    ['a million brackets cut to the limit', '['.repeat(32_768)],
  ])('that is %s instead of an object gets 400 malformed_body', async (_what, body) => {
    const response = await put(body);
    expect([response.status, response.code]).toEqual([400, 'malformed_body']);
    expect(JSON.stringify(response.body)).not.toContain('Unexpected');
  });

  test('that is an object after a byte order mark is accepted', async () => {
    expect((await put(`\ufeff${JSON.stringify(valid())}`)).status).toBe(201);
  });

  test.each([
    ['an unknown member', '"deep"', 32],
    ['an unknown member', '"deep"', 10_000],
    ['a known one', '"amount"', 32],
  ])(
    'that is nested too deep in %s (%s, %d arrays) gets 400 malformed_body',
    async (_where, member, arrays) => {
      const nested = `${'['.repeat(arrays)}${']'.repeat(arrays)}`;
      const fields = `"project_id":${projectId},"user_hash":"user"${member === '"amount"' ? '' : ',"amount":1'}`;
      const response = await put(`{${fields},${member}:${nested}}`);
      expect([response.status, response.code]).toEqual([400, 'malformed_body']);
      expect(response.body['detail']).toBe('The body has more than 32 levels of nesting.');
    },
  );

  test('with 32 levels in an unknown member is accepted', async () => {
    const nested = `${'['.repeat(31)}${']'.repeat(31)}`;
    expect((await put(`${JSON.stringify(valid()).slice(0, -1)},"deep":${nested}}`)).status).toBe(201);
  });

  test('with members named like properties of Object.prototype is read correctly', async () => {
    const polluting = '"__proto__":{"amount":"9.99"},"constructor":{"prototype":{"amount":"9.99"}}';
    const response = await put(`{"project_id":${projectId},"user_hash":"user",${polluting}}`);
    expect(response.body).toMatchObject({ status: 400, errors: [{ pointer: '/amount', code: 'required' }] });
    expect(({} as Record<string, unknown>)['amount']).toBeUndefined();
  });
});

describe('a JSON body with a duplicate member', () => {
  test.each<[string, string, string[]]>([
    ['an amount', '"amount":"2.50"', ['/amount']],
    ['the same amount with the same value', '"amount":"1.00"', ['/amount']],
    ['a name written with an escape', '"user_h\\u0061sh":"other"', ['/user_hash']],
    ['two names', '"amount":"2.50","project_id":2,"amount":"3"', ['/amount', '/project_id']],
    ['an unknown member', '"note":1,"note":2', ['/note']],
    ['a member of a member', '"note":{"a":[{"b":1,"b":2}]}', ['/note/a/0/b']],
  ])('(%s) gets 400 duplicate and records nothing', async (_what, more, pointers) => {
    const count = async (): Promise<unknown> =>
      (await service.database.admin.query<{ count: number }>('SELECT count(*) FROM transactions')).rows;
    const before = await count();
    const response = await put(
      `{"project_id":${projectId},"amount":"1.00","user_hash":"visible-hash",${more}}`,
    );

    expect(response.body).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(response.body['errors']).toEqual(
      pointers.map((pointer) => ({ pointer, code: 'duplicate', detail: 'Send this member once.' })),
    );
    expect(JSON.stringify(response.body)).not.toMatch(/visible-hash|2\.50/);
    expect(await count()).toEqual(before);
  });
});

describe('the size of a body', () => {
  const limit = 32_768;
  const padded = (length: number) => {
    const text = JSON.stringify(valid());
    return text.slice(0, -1) + ' '.repeat(length - text.length) + '}';
  };

  test('of exactly the limit is accepted', async () => {
    expect((await put(padded(limit))).status).toBe(201);
  });

  test.each([limit + 1, 33 * 1024, 2_000_000])('of %d bytes gets 413', async (length) => {
    const response = await put(padded(length));
    expect([response.status, response.code]).toEqual([413, 'body_too_large']);
  });

  test('counts after decompression: a decompression bomb gets 413', async () => {
    const bomb = gzipSync(padded(20_000_000));
    expect(bomb.length).toBeLessThan(limit);
    const response = await put(bomb, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' });
    expect([response.status, response.code]).toEqual([413, 'body_too_large']);
  });

  test('is ignored by a read', async () => {
    const { status } = await company.test
      .raw('get', '/company/integration/get/projects')
      .set('Content-Type', 'application/json')
      .send('a'.repeat(1_000));
    expect(status).toBe(200);
  });
});

describe('a compressed body', () => {
  const json = () => Buffer.from(JSON.stringify(valid()));
  const encoded = (body: Buffer, encoding: string) =>
    put(body, { 'Content-Type': 'application/json', 'Content-Encoding': encoding });

  test.each<[string, (body: Buffer) => Buffer]>([
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['identity', (body) => body],
  ])('with %s is accepted', async (encoding, compress) => {
    expect((await encoded(compress(json()), encoding)).status).toBe(201);
  });

  test.each(['compress', 'lzma', 'gzip, gzip', 'nonsense'])('with %s gets 415', async (encoding) => {
    const response = await encoded(json(), encoding);
    expect([response.status, response.code]).toEqual([415, 'unsupported_media_type']);
  });

  test('with br gets 415, because a few bytes of it can claim a window of many megabytes', async () => {
    const response = await encoded(brotliCompressSync(json()), 'br');
    expect([response.status, response.code]).toEqual([415, 'unsupported_media_type']);
  });

  test.each<[string, (body: Buffer) => Buffer]>([
    ['not compressed at all', (body) => body],
    ['cut off', (body) => gzipSync(body).subarray(0, 20)],
    ['broken in the middle', (body) => gzipSync(body).fill(0, 12, 24)],
  ])('that is declared as gzip but is %s gets 400', async (_how, compress) => {
    const response = await encoded(compress(json()), 'gzip');
    expect([response.status, response.code]).toEqual([400, 'malformed_body']);
  });
});

describe('a form', () => {
  const boundary = 'a-boundary';
  const type = `multipart/form-data; boundary=${boundary}`;
  const field = (name: string, value: string, more = '') =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
  const form = (...parts: string[]) => `${parts.join('')}--${boundary}--\r\n`;
  const fields = () => [
    field('project_id', String(projectId)),
    field('amount', '2.50'),
    field('user_hash', 'u'),
  ];
  const post = (body: string | Buffer, contentType = type) =>
    sendBytes('POST', order, body, { 'Content-Type': contentType });

  test('of text fields is accepted', async () => {
    expect((await post(form(...fields()))).status).toBe(201);
  });

  test('with a folded header is accepted', async () => {
    const folded = form(...fields()).replaceAll('form-data; ', 'form-data;\r\n ');
    expect((await post(folded)).status).toBe(201);
  });

  test.each([
    [50, /^The form contains files or duplicate fields\.$/],
    [51, /^The form contains files or duplicate fields\. The response lists the first 50 of 51 errors\.$/],
    [250, / The response lists the first 50 of 250 errors\.$/],
  ])('with %d files gets at most 50 errors, and the response says so', async (count, detail) => {
    const files = Array.from({ length: count }, (_, index) => field(`f${index}`, '', '; filename="f"'));
    const response = await post(form(...files));
    expect(response.body).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(response.body['detail']).toMatch(detail);
    const errors = response.body['errors'] as { pointer: string }[];
    expect(errors.map(({ pointer }) => pointer)).toEqual(
      Array.from({ length: 50 }, (_, index) => `/f${index}`),
    );
  });

  test('as a common client sends it is accepted', async () => {
    const response: Response = await company.test
      .post(order)
      .field('project_id', projectId)
      .field('amount', '2.50')
      .field('user_hash', 'user')
      .field('name', 'Zoë');
    expect(response.status).toBe(201);
  });

  test.each<[string, () => string | Buffer, string | undefined]>([
    ['without a boundary', () => form(...fields()), 'multipart/form-data'],
    ['with an empty boundary', () => form(...fields()), 'multipart/form-data; boundary='],
    ['with another boundary', () => form(...fields()), 'multipart/form-data; boundary=other'],
    ['cut off in a field', () => form(...fields()).slice(0, -40), undefined],
    ['cut off before its end', () => fields().join(''), undefined],
    ['with a part that has no name', () => form(`--${boundary}\r\n\r\ntext\r\n`), undefined],
    ['with a part that has no headers', () => form(`--${boundary}\r\n`, ...fields()), undefined],
    [
      'with a field that has two names',
      () => form(...fields()).replace('name="amount"', 'name="amount"; name="name"'),
      undefined,
    ],
    ['that is JSON', () => JSON.stringify(valid()), undefined],
    ['that is empty', () => '', undefined],
    [
      'with text that is not UTF-8',
      () => Buffer.from(form(...fields(), field('name', '\u00c3\u0028')), 'latin1'),
      undefined,
    ],
  ])('%s gets 400 malformed_body', async (_how, body, contentType) => {
    const response = await post(body(), contentType);
    expect([response.status, response.code]).toEqual([400, 'malformed_body']);
  });

  test('with a file is rejected, and the error names the field', async () => {
    const response = await post(form(...fields(), field('name', 'bytes', '; filename="a.txt"')));
    expect(response.body).toMatchObject({
      status: 400,
      code: 'invalid_request',
      errors: [{ pointer: '/name', code: 'file_not_allowed' }],
    });
  });

  test('with a duplicate field is rejected, and the error names it', async () => {
    const response = await post(form(...fields(), field('amount', '2.50')));
    expect(response.body).toMatchObject({
      status: 400,
      code: 'invalid_request',
      errors: [{ pointer: '/amount', code: 'duplicate' }],
    });
  });

  test('with many unknown fields is accepted', async () => {
    const many = Array.from({ length: 400 }, (_, index) => field(`f${index}`, '1'));
    expect((await post(form(...fields(), ...many))).status).toBe(201);
  });

  test('with a thousand fields is over the limit', async () => {
    const many = Array.from({ length: 1_000 }, (_, index) => field(`f${index}`, '1'));
    expect((await post(form(...fields(), ...many))).status).toBe(413);
  });

  test.each(['__proto__', 'constructor', 'toString'])(
    'with a field named %s is read correctly',
    async (name) => {
      expect((await post(form(...fields(), field(name, 'amount')))).status).toBe(201);
      const response = await post(form(field(name, 'amount')));
      expect(response.body['errors']).toHaveLength(3);
      expect(({} as Record<string, unknown>)['amount']).toBeUndefined();
    },
  );
});
