import { type IncomingHttpHeaders, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

import { addProject, addStory } from '../support/catalogue';
import { startService, type TestCompany, type TestService } from '../support/service';

/** Conditional requests for cacheable responses, and compression of large ones. */
const base = '/company/integration';

let service: TestService;
let company: TestCompany;
let projectId: number;

beforeAll(async () => {
  service = await startService();
  company = await service.addCompany();
  for (let rank = 0; rank < 30; rank += 1) projectId = await addProject(service.database.admin, { rank });
  for (let story = 0; story < 30; story += 1) await addStory(service.database.admin, projectId);
});
afterAll(() => service.stop());

const paths = {
  'the list of projects': () => `${base}/get/projects`,
  'a project': () => `${base}/get/project/${projectId}`,
  'the stories of a project': () => `${base}/get/project/${projectId}/stories`,
  'the main component': () => `${base}/projects-stories`,
};
const reads = Object.entries(paths);
const large = reads.slice(0, 1).concat(reads.slice(2, 3));

interface RawResponse {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** The response as sent: not decompressed, and without headers that the client adds. */
function read(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<RawResponse> {
  const { apiKey, apiSecret } = company.test;
  const credentials = { 'API-Key': apiKey, 'API-Secret': apiSecret };
  return new Promise((resolve, reject) => {
    const sent = request({ port: service.port, path, method, headers: { ...credentials, ...headers } });
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) });
      });
    });
    sent.on('error', reject).end();
  });
}

describe.each(reads)('%s', (_what, path) => {
  test('without a user has a strong ETag, and gets 304 without a body when the ETag matches', async () => {
    const first = await read(path());
    expect(first.headers.etag).toMatch(/^"[\w-]{22}"$/);
    expect(first.headers['cache-control']).toBe('private, no-cache');
    const second = await read(path(), { 'If-None-Match': first.headers.etag! });
    expect([second.status, second.body.length]).toEqual([304, 0]);
    for (const name of ['etag', 'cache-control', 'vary'] as const)
      expect(second.headers[name]).toEqual(first.headers[name]);
    expect(second.headers['content-type']).toBeUndefined();
  });

  test('with a user is not cacheable: no ETag, no 304', async () => {
    const first = await read(`${path()}?user_hash=u`);
    expect(first.headers.etag).toBeUndefined();
    expect(first.headers['cache-control']).toBe('no-store');
    expect((await read(`${path()}?user_hash=u`, { 'If-None-Match': '*' })).status).toBe(200);
  });

  test('has the same headers for HEAD as for GET, without the body', async () => {
    const [get, head] = [await read(path()), await read(path(), {}, 'HEAD')];
    expect(head.body).toHaveLength(0);
    for (const name of ['etag', 'content-length', 'content-type', 'vary'] as const)
      expect(head.headers[name]).toEqual(get.headers[name]);
  });
});

describe('If-None-Match', () => {
  let etag: string;
  beforeEach(async () => {
    etag = (await read(`${base}/get/projects`)).headers.etag!;
  });
  const statusWith = async (value: string) =>
    (await read(`${base}/get/projects`, { 'If-None-Match': value })).status;

  test.each<[string, (etag: string) => string, number]>([
    ['that names it among others', (known) => `"a", ${known}, "b"`, 304],
    ['that names it as a weak one', (known) => `W/${known}`, 304],
    ['that is *', () => '*', 304],
    ['of something else', () => '"a"', 200],
    ['that is not an ETag', () => 'a,b"', 200],
    ['that is empty', () => '', 200],
  ])('%s', async (_what, value, status) => {
    expect(await statusWith(value(etag))).toBe(status);
  });

  test('with an outdated ETag gets the current response with its ETag', async () => {
    await service.database.admin.query(`UPDATE projects SET summary = 'Changed' WHERE project_id = $1`, [
      projectId,
    ]);
    const changed = await read(`${base}/get/projects`, { 'If-None-Match': etag });
    expect(changed.status).toBe(200);
    expect(changed.headers.etag).not.toBe(etag);
    expect(changed.body.toString()).toContain('Changed');
  });

  test('does not change an error response', async () => {
    expect((await read(`${base}/get/project/999999`, { 'If-None-Match': '*' })).status).toBe(404);
  });

  test("matches another company's ETag, because the catalogue is the same for all", async () => {
    const other = await service.addCompany();
    await other.test
      .get(`${base}/get/projects`)
      .set('If-None-Match', etag)
      .set('Accept-Encoding', 'identity')
      .expect(304);
  });
});

describe.each(large)('%s, a large response', (_what, path) => {
  test.each([
    ['br', 'gzip, deflate, br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['gzip', 'br;q=0, gzip;q=0.5', gunzipSync],
  ])('is sent with %s for "%s", and has the same content', async (encoding, accepted, decompress) => {
    const plain = await read(path());
    const packed = await read(path(), { 'Accept-Encoding': accepted });
    expect(packed.headers['content-encoding']).toBe(encoding);
    expect(packed.headers.vary).toBe('Accept, Accept-Encoding');
    expect(Number(packed.headers['content-length'])).toBe(packed.body.length);
    expect(decompress(packed.body).equals(plain.body)).toBe(true);
    expect(packed.body.length).toBeLessThan(plain.body.length / 3);
  });

  test('has a different ETag for each encoding, and none matches another', async () => {
    const responses = [];
    for (const accepted of ['identity', 'gzip', 'br'])
      responses.push(await read(path(), { 'Accept-Encoding': accepted }));
    const etags = responses.map(({ headers }) => headers.etag!);
    expect(new Set(etags).size).toBe(3);
    for (const [index, accepted] of ['identity', 'gzip', 'br'].entries()) {
      for (const [other, etag] of etags.entries()) {
        const { status } = await read(path(), { 'Accept-Encoding': accepted, 'If-None-Match': etag });
        expect(status).toBe(other === index ? 304 : 200);
      }
    }
  });

  test('is sent uncompressed to a client that accepts no offered encoding', async () => {
    for (const accepted of ['identity', 'deflate', 'br;q=0', '*;q=0']) {
      const response = await read(path(), { 'Accept-Encoding': accepted });
      expect([response.status, response.headers['content-encoding']]).toEqual([200, undefined]);
    }
  });

  test('with a user is compressed too', async () => {
    const response = await read(`${path()}?user_hash=u`, { 'Accept-Encoding': 'br' });
    expect(response.headers['content-encoding']).toBe('br');
    expect(JSON.parse(brotliDecompressSync(response.body).toString())).toMatchObject({ has_more: false });
  });
});

test('a small response is not compressed, but has Vary', async () => {
  const response = await read(`${base}/get/projects?limit=1`, { 'Accept-Encoding': 'br' });
  expect(response.headers['content-encoding']).toBeUndefined();
  expect(response.headers.vary).toBe('Accept, Accept-Encoding');
});
