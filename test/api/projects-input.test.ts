import { addProject } from '../support/catalogue';
import { publicBaseUrl, startService, type TestCompany, type TestService } from '../support/service';

/** Input of the catalogue's read operations (specification 4.1 and 4.2). */
let service: TestService;
let company: TestCompany;
let projectId: number;

const list = '/company/integration/get/projects';
const record = (id: number | string): string => `/company/integration/get/project/${id}`;

const wrong = (parameter: string, code: unknown = expect.any(String)) => ({
  code: 'invalid_request',
  retryable: false,
  errors: [{ parameter, code, detail: expect.any(String) }],
});

beforeAll(async () => {
  service = await startService();
  company = await service.addCompany();
  projectId = await addProject(service.database.admin, { name: 'With highlights' });
  await addProject(service.database.admin, { name: 'Without' });
  await service.database.admin.query(
    `INSERT INTO project_highlights (project_id, position, title, body, image_url)
     VALUES ($1, 2, 'Second', 'Two', NULL), ($1, 1, 'First', 'One', '/demo/pictures/one.svg'),
            ($1, 3, 'Third', 'Three', 'https://cdn.test/three.png')`,
    [projectId],
  );
});

afterAll(() => service.stop());

describe('highlights and description', () => {
  const highlights = [
    { title: 'First', body: 'One', image_url: `${publicBaseUrl}/demo/pictures/one.svg` },
    { title: 'Second', body: 'Two', image_url: null },
    { title: 'Third', body: 'Three', image_url: 'https://cdn.test/three.png' },
  ];
  const description = 'A description';

  test.each([
    ['', {}],
    ['?highlights=0', {}],
    ['?description=0', {}],
    ['?highlights=0&description=0', {}],
    ['?highlights=1', { highlights }],
    ['?description=1', { description }],
    ['?highlights=1&description=0', { highlights }],
    ['?highlights=0&description=1', { description }],
    ['?highlights=1&description=1', { highlights, description }],
    ['?highlights=1&description=1&user_hash=someone', { highlights, description }],
  ])('"%s" adds exactly the requested fields to the record', async (query, optional) => {
    const plain = await company.test.get(record(projectId)).expect(200);
    const response = await company.test.get(record(projectId) + query).expect(200);
    expect(response.body).toEqual({ ...plain.body, ...optional });
    expect(plain.body).not.toHaveProperty('highlights');
    expect(plain.body).not.toHaveProperty('description');
  });

  test('of a project without highlights are an empty list', async () => {
    const bare = await addProject(service.database.admin);
    const response = await company.test.get(`${record(bare)}?highlights=1`).expect(200);
    expect(response.body.highlights).toEqual([]);
  });

  describe.each(['highlights', 'description'])('%s', (name) => {
    test.each([
      '2',
      '',
      'true',
      'false',
      'yes',
      '01',
      '00',
      '-1',
      '1.0',
      '1e0',
      '%201',
      '1%20',
      '1%00',
      '%EF%BC%91',
      '%zz',
      'null',
    ])('"%s" is rejected with 400', async (value) => {
      const response = await company.test.get(`${record(projectId)}?${name}=${value}`).expect(400);
      expect(response.body).toMatchObject(wrong(name, 'unsupported_value'));
    });

    test('without a value is rejected with 400', async () => {
      const response = await company.test.get(`${record(projectId)}?${name}`).expect(400);
      expect(response.body).toMatchObject(wrong(name, 'unsupported_value'));
    });

    test.each(['1', '0'])('sent twice is rejected with 400, even with the same value', async (value) => {
      const response = await company.test
        .get(`${record(projectId)}?${name}=${value}&${name}=${value}`)
        .expect(400);
      expect(response.body).toMatchObject(wrong(name, 'duplicate'));
    });
  });
});

describe('project_id', () => {
  test.each(['2147483646', '2147483647', '2147483648', '4294967297', '999999999999999999'])(
    '%s, which no project has, gets 404',
    async (id) => {
      const response = await company.test.get(record(id)).expect(404);
      expect(response.body).toMatchObject({ code: 'resource_not_found', retryable: false });
      expect(response.body).not.toHaveProperty('errors');
    },
  );

  // Past int8 the id may be malformed or unknown, but the error must be about the id.
  test.each(['9223372036854775807', '9223372036854775808', '9'.repeat(40), '9'.repeat(1000)])(
    '%s is rejected with 400 or 404',
    async (id) => {
      const response = await company.test.get(record(id));
      expect([400, 404]).toContain(response.status);
      expect(['invalid_request', 'resource_not_found']).toContain(response.body.code);
    },
  );

  test.each([
    ...[
      '0',
      '-1',
      '+1',
      '01',
      '1.0',
      '1e3',
      'abc',
      '0x1',
      'NaN',
      'null',
      '%00',
      '1%00',
      '1%0A',
      '%201',
      '1%20',
      '1,2',
    ],
    ...[
      '%EF%BC%91',
      '%D9%A1',
      '1%2F2',
      "1'--",
      '1;',
      '__proto__',
      'constructor',
      '{project_id}',
      ':project_id',
    ],
  ])('"%s" is malformed and gets 400', async (id) => {
    const response = await company.test.get(record(id)).expect(400);
    expect(response.body).toMatchObject(wrong('project_id', 'invalid_format'));
  });

  test.each(['%', '%zz', '%E0%A4', '1%FF', '%C0%80', '%ED%A0%80'])(
    '"%s" is invalid percent-encoding and gets 400',
    async (id) => {
      const response = await company.test.get(record(id)).expect(400);
      expect(response.body).toMatchObject({ code: 'malformed_http', retryable: false });
    },
  );

  test('that is malformed is reported together with errors in the query', async () => {
    const query = '?highlights=2&description=x&user_hash=a+b';
    const response = await company.test.get(record('abc') + query).expect(400);
    const parameters = (response.body.errors as { parameter: string }[]).map(({ parameter }) => parameter);
    expect(parameters.sort()).toEqual(['description', 'highlights', 'project_id', 'user_hash']);
  });
});

describe('user_hash in the query', () => {
  const refused: [what: string, value: string][] = [
    ['a "+" that is not encoded', 'a+b'],
    ['a space', 'a%20b'],
    ['a NUL', 'a%00b'],
    ['a control character', '%7F'],
    ['a letter that is not ASCII', 'caf%C3%A9'],
    ['broken percent-encoding', '%E0%A4'],
    ['1,025 characters', 'x'.repeat(1025)],
  ];
  test.each(refused)(
    'with %s is rejected with 400 and is not repeated in the response',
    async (_what, value) => {
      for (const path of [list, record(projectId)]) {
        const response = await company.test.get(`${path}?user_hash=${value}`).expect(400);
        expect(response.body).toMatchObject(wrong('user_hash'));
        expect(response.text).not.toContain(decodeURIComponent(value.replace('%E0%A4', 'xx')));
      }
    },
  );

  test('sent twice is rejected with 400', async () => {
    for (const path of [list, record(projectId)]) {
      const response = await company.test.get(`${path}?user_hash=a&user_hash=a`).expect(400);
      expect(response.body).toMatchObject(wrong('user_hash', 'duplicate'));
    }
  });
});

test.each([
  '?page=2',
  '?Limit=1',
  '?__proto__=1',
  '?constructor[prototype]=1',
  '?%00=%00',
  '?%zz=%zz',
  '?',
  '?&&=',
  '?data[]=1',
])('the unknown query parameter "%s" is ignored', async (query) => {
  for (const path of [list, record(projectId)]) {
    const plain = await company.test.get(path).expect(200);
    const response = await company.test.get(path + query).expect(200);
    expect(response.body).toEqual(plain.body);
  }
});

test('a known parameter is read after any number of unknown ones', async () => {
  const query = `?${'a&'.repeat(1000)}highlights=1`;
  const response = await company.test.get(record(projectId) + query).expect(200);
  expect(response.body.highlights).toHaveLength(3);
});
