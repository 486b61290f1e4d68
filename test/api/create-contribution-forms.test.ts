import { addProject } from '../support/catalogue';
import { startService, type TestCompany, type TestService } from '../support/service';

/** multipart/form-data as partners' HTTP libraries write it (specification 4.3; RFC 7578). */
let service: TestService;
let company: TestCompany;
let projectId: number;

const paths = ['/company/integration/orders/make', '/company/integration/create/payment'];

interface Writing {
  boundary?: string;
  /** The value of Content-Type. */
  type?: (boundary: string) => string;
  /** The headers of one part. */
  part?: (name: string) => string;
  /** The text after the last boundary. */
  end?: string;
}

const boundary26 = '--------------------------123456789012345678901234';
const quoted = (name: string): string => `Content-Disposition: form-data; name="${name}"`;

function write(fields: [string, string][], writing: Writing = {}): { type: string; body: string } {
  const {
    boundary = boundary26,
    type = (b) => `multipart/form-data; boundary=${b}`,
    part = quoted,
  } = writing;
  const parts = fields.map(([name, value]) => `--${boundary}\r\n${part(name)}\r\n\r\n${value}\r\n`);
  return { type: type(boundary), body: `${parts.join('')}--${boundary}--${writing.end ?? '\r\n'}` };
}

const fields = (): [string, string][] => [
  ['project_id', String(projectId)],
  ['amount', '25.50'],
  ['user_hash', 'user=='],
  ['name', 'Amélie'],
];

const post = (path: string, { type, body }: { type: string; body: string }) =>
  company.test.post(path).set('Content-Type', type).send(body);

beforeAll(async () => {
  service = await startService();
  company = await service.addCompany();
  projectId = await addProject(service.database.admin);
});

afterAll(() => service.stop());

const writings: [string, Writing][] = [
  ['curl and Postman', {}],
  ['Java OkHttp', { part: (name) => `${quoted(name)}\r\nContent-Length: 1` }],
  [
    'Apache HttpClient',
    {
      part: (name) =>
        `${quoted(name)}\r\nContent-Type: text/plain; charset=UTF-8\r\nContent-Transfer-Encoding: 8bit`,
    },
  ],
  [
    '.NET HttpClient, which quotes the boundary and not the names',
    {
      boundary: '5f1c2c2b-3a0e-4c53-9d3f-0a8f6c0b2f11',
      type: (boundary) => `multipart/form-data; boundary="${boundary}"`,
      part: (name) =>
        `Content-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name=${name}`,
    },
  ],
  ['Perl LWP, whose boundary has five characters', { boundary: 'xYzZY' }],
  ['a client that writes no space after the semicolon', { part: (name) => quoted(name).replace('; ', ';') }],
  ['a client that writes header names in lower case', { part: (name) => quoted(name).replace('C', 'c') }],
  ['a client that ends without a line break', { end: '' }],
  ['a client that names the charset', { type: (b) => `Multipart/Form-Data; charset=UTF-8; boundary=${b}` }],
];

describe.each(paths)('POST %s', (path) => {
  test.each(writings)('a form of %s is accepted', async (_client, writing) => {
    const response = await post(path, write(fields(), writing)).expect(201);

    const { rows } = await service.database.admin.query(
      `SELECT t.project_id, t.amount_cents, u.user_hash, u.first_name
         FROM transactions t JOIN users u USING (environment_id, user_id) WHERE transaction_id = $1`,
      [response.body.transaction_id],
    );
    expect(rows).toEqual([
      { project_id: projectId, amount_cents: '2550', user_hash: 'user==', first_name: 'Amélie' },
    ]);
  });

  test('a file is rejected with 400 at any position', async () => {
    const response = await company.test
      .post(path)
      .field('project_id', String(projectId))
      .field('amount', '10')
      .attach('user_hash', Buffer.from('user=='), 'user.txt')
      .attach('picture', Buffer.from([0x89, 0x50]), 'picture.png')
      .expect(400);
    expect(response.body).toMatchObject({
      code: 'invalid_request',
      errors: [
        { pointer: '/user_hash', code: 'file_not_allowed' },
        { pointer: '/picture', code: 'file_not_allowed' },
      ],
    });
  });

  test('a duplicate field is rejected with 400', async () => {
    const response = await post(path, write([...fields(), ['amount', '99']])).expect(400);
    expect(response.body).toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/amount', code: 'duplicate' }],
    });
  });

  test.each([
    ['has another boundary than its Content-Type says', 'multipart/form-data; boundary=other', ''],
    ['comes without a boundary', 'multipart/form-data', ''],
    ['is cut off', `multipart/form-data; boundary=${boundary26}`, 'cut'],
  ])('a form that %s is rejected with 400 malformed_body', async (_what, type, cut) => {
    const { body } = write(fields());
    const response = await post(path, { type, body: cut ? body.slice(0, -10) : body }).expect(400);
    expect(response.body.code).toBe('malformed_body');
  });

  test('a text that is not UTF-8 is rejected with 400, as in JSON', async () => {
    const [before = '', after = ''] = write(fields()).body.split('Amélie');
    const response = await company.test
      .post(path)
      .set('Content-Type', `multipart/form-data; boundary=${boundary26}`)
      .send(Buffer.concat([Buffer.from(before), Buffer.from([0x41, 0xe9]), Buffer.from(after)]))
      .expect(400);
    expect(response.body.code).toMatch(/malformed_body|invalid_request/);
  });
});

test('PUT contributions/create accepts JSON only: a form is rejected with 415', async () => {
  const { type, body } = write(fields());
  const response = await company.test
    .put('/company/integration/contributions/create')
    .set('Content-Type', type)
    .send(body)
    .expect(415);
  expect(response.body.code).toBe('unsupported_media_type');
});

test.each(paths)('POST %s rejects other media types and a missing one with 415', async (path) => {
  for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'application/xml']) {
    const response = await company.test.post(path).set('Content-Type', type).send('amount=10').expect(415);
    expect(response.body.code).toBe('unsupported_media_type');
  }
  const response = await company.test.post(path).expect(415);
  expect(response.body.code).toBe('unsupported_media_type');
});
