import { decodeCursor, encodeCursor } from '../../src/shared/cursor';
import { addProject } from '../support/catalogue';
import { startService, type TestCompany, type TestService } from '../support/service';

/** Invalid input of the list of contributions. */
let service: TestService;
let company: TestCompany;

const contributions = '/company/integration/contributions';

beforeAll(async () => {
  service = await startService();
  company = await service.addCompany();
});

afterAll(() => service.stop());

/** Expects exactly one error, at the wrong parameter. */
async function expectRefusal(
  query: string,
  parameter: string,
  code: unknown = expect.any(String),
): Promise<void> {
  const response = await company.test.get(`${contributions}?${query}`).expect(400);
  expect(response.body).toMatchObject({
    code: 'invalid_request',
    errors: [{ parameter, code, detail: expect.any(String) }],
  });
}

test.each(['created_form', 'Status', 'transaction_id', 'userhash', '__proto__', 'constructor', 'page'])(
  'the unknown parameter %s is rejected with 400, because a mistyped filter would show more',
  (parameter) => expectRefusal(`${parameter}=x`, parameter, 'unknown_parameter'),
);

test.each([
  ['created_form', 'created_from'],
  ['completedTo', 'completed_to'],
  ['Status', 'status'],
])('the unknown parameter %s suggests %s', async (parameter, meant) => {
  const response = await company.test.get(`${contributions}?${parameter}=x`).expect(400);
  expect(response.body.errors).toEqual([
    {
      parameter,
      code: 'unknown_parameter',
      detail: `This operation does not have this parameter. Did you mean ${meant}?`,
    },
  ]);
});

test.each(['page', 'x'.repeat(2_000), '__proto__'])(
  'the unknown parameter %s gets the list of the known ones',
  async (parameter) => {
    const response = await company.test.get(`${contributions}?${parameter}=x`).expect(400);
    expect(response.body.errors[0].detail).toMatch(
      /^This operation does not have this parameter\. Known: status, created_from, .*, limit, cursor\.$/,
    );
  },
);

test.each(['bank_reference', 'value_date'])(
  'an empty %s is rejected with 400, because a variable that is not set would show everything',
  (parameter) => expectRefusal(`${parameter}=`, parameter),
);

const instants = [
  ...['', '2026-01-31', '2026-01-31T00:00:00', '2026-01-31 00:00:00Z', '2026-01-31T00:00:00+01:00', 'now'],
  ...[
    '2026-02-30T00:00:00Z',
    '2026-01-31T24:00:00Z',
    '1769817600',
    '0000-01-01T00:00:00Z',
    '-0001-01-01T00:00:00Z',
  ],
];

test.each(
  ['created_from', 'created_to', 'completed_from', 'completed_to'].flatMap((p) =>
    instants.map((i) => [p, i]),
  ),
)('%s=%s is rejected with 400', (parameter = '', value = '') =>
  expectRefusal(`${parameter}=${encodeURIComponent(value)}`, parameter),
);

test.each(
  [
    ['status', 'done'],
    ['status', 'PENDING'],
    ['status', ''],
    ['project_id', '0'],
    ['project_id', '-1'],
    ['project_id', '1.5'],
    ['project_id', '01'],
    ['project_id', 'abc'],
    ['project_id', ''],
    ['project_id', '1000000000000000000'],
    ['company_id', ''],
    ['company_id', '1'],
    ['company_id', '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1'],
    ['company_id', '{019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b}'],
    ['limit', '0'],
    ['limit', '1001'],
    ['limit', '-1'],
    ['limit', '1e2'],
    ['limit', 'all'],
    ['limit', ''],
    ['user_hash', 'with space'],
    ['user_hash', 'é'],
    ['user_hash', 'x'.repeat(1025)],
    ['user_hash', 'nul\u0000'],
    ['idempotency_key', ''],
    ['idempotency_key', 'k'.repeat(256)],
    ['idempotency_key', 'clé'],
  ].map(([parameter = '', value = '']) => [parameter, JSON.stringify(value).slice(0, 24), value]),
)('%s=%s is rejected with 400', (parameter = '', _name, value = '') =>
  expectRefusal(`${parameter}=${encodeURIComponent(value)}`, parameter),
);

test('a "+" that was not encoded in a user_hash is rejected with the hint to send %2B', async () => {
  const response = await company.test.get(`${contributions}?user_hash=a+b`).expect(400);
  expect(response.body.errors[0].detail).toContain('%2B');
});

test.each([
  'status=pending&status=pending',
  'limit=1&limit=2',
  'user_hash=a&user_hash=b',
  'cursor=a&cursor=b',
])('%s is rejected with 400 as a duplicate', (query) =>
  expectRefusal(query, query.slice(0, query.indexOf('=')), 'duplicate'),
);

describe('a cursor', () => {
  /** A cursor from the service: the time and the id of the last contribution of a page. */
  let cursor: string;
  let filters: string;
  let at: number;
  let id: string;
  /** Fixed by the first page: complete_until, and the time when it was read. */
  let fixed: [number, number];

  beforeAll(async () => {
    const projectId = await addProject(service.database.admin);
    for (const amount of [1, 2]) {
      await company.test
        .put(`${contributions}/create`, { project_id: projectId, amount, user_hash: 'user==' })
        .expect(201);
    }
    const page = await company.test.get(`${contributions}?limit=1`).expect(200);
    cursor = page.body.next_cursor as string;
    const parts = decodeCursor(cursor) as [string, number, string, number, number];
    [filters, at, id] = parts;
    fixed = [parts[3], parts[4]];
  });

  test('from the service gets the next page', async () => {
    const page = await company.test.get(`${contributions}?cursor=${cursor}`).expect(200);
    expect(page.body).toMatchObject({ data: [{ amount: '2.00' }], has_more: false });
  });

  const bad: [what: string, write: () => string][] = [
    ['empty', () => ''],
    ['cut off', () => cursor.slice(0, cursor.length / 2)],
    ['not base64url', () => 'not a cursor!'],
    ['not JSON', () => Buffer.from('{').toString('base64url')],
    ['an object', () => Buffer.from('{"at":1}').toString('base64url')],
    ['null', () => Buffer.from('null').toString('base64url')],
    ['that of a list of projects', () => encodeCursor([0, 1])],
    ['without an id', () => encodeCursor([filters, at, ...fixed])],
    ['with too much', () => encodeCursor([filters, at, id, id, ...fixed])],
    ['with another id', () => encodeCursor([filters, at, 'x', ...fixed])],
    ['with SQL', () => encodeCursor([filters, `${at}'; DROP TABLE transactions; --`, id, ...fixed])],
    ['with a time in words', () => encodeCursor([filters, 'infinity', id, ...fixed])],
    ['with a part of a microsecond', () => encodeCursor([filters, at + 0.5, id, ...fixed])],
    [
      'with a time past every calendar',
      () => Buffer.from(`["${filters}",1e300,"${id}",${fixed.join()}]`).toString('base64url'),
    ],
    ['without its filters', () => encodeCursor([at, id, ...fixed])],
    ['of the form without complete_until', () => encodeCursor([filters, at, id])],
    ['with filters of another form', () => encodeCursor(['created', at, id, ...fixed])],
    ['with a time that is not a number', () => encodeCursor([filters, null as never, id, ...fixed])],
  ];

  test.each([Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER])(
    'with the largest possible time (%d) is accepted',
    async (time) => {
      await company.test
        .get(`${contributions}?cursor=${encodeCursor([filters, time, id, ...fixed])}`)
        .expect(200);
    },
  );

  test.each([
    ['status', 'pending'],
    ['created_from', '2026-01-01T00:00:00Z'],
    ['created_to', '2100-01-01T00:00:00Z'],
    ['completed_from', '2026-01-01T00:00:00Z'],
    ['completed_to', '2100-01-01T00:00:00Z'],
    ['project_id', '1'],
    ['company_id', '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b'],
    ['user_hash', 'user=='],
    ['idempotency_key', 'key'],
  ])('of a list without %s is rejected with 400 when combined with it', async (filter, value) => {
    await expectRefusal(
      `${filter}=${encodeURIComponent(value)}&cursor=${cursor}`,
      'cursor',
      'invalid_format',
    );
  });

  test('of a list with filters is accepted with the same filters only, with any page size', async () => {
    const first = await company.test
      .get(`${contributions}?status=pending&user_hash=user==&limit=1`)
      .expect(200);
    const next = `cursor=${first.body.next_cursor as string}`;
    const response = await company.test.get(`${contributions}?${next}`).expect(400);
    expect(response.body.errors).toEqual([
      {
        parameter: 'cursor',
        code: 'invalid_format',
        detail: expect.stringContaining('Keep the filters of the first page'),
      },
    ]);
    await expectRefusal(`${next}&status=completed&user_hash=user==`, 'cursor', 'invalid_format');
    const second = await company.test
      .get(`${contributions}?${next}&limit=5&user_hash=user==&status=pending`)
      .expect(200);
    expect(second.body).toMatchObject({ data: [{ amount: '2.00' }], has_more: false });
  });

  test.each(bad)('that is %s is rejected with 400', (_what, write) =>
    expectRefusal(`cursor=${encodeURIComponent(write())}`, 'cursor', 'invalid_format'),
  );
});

test('one response names all errors, and repeats no value', async () => {
  const query = 'status=secret&limit=secret&created_from=secret&cursor=secret&user_hash=a%20secret&secret1=1';
  const response = await company.test.get(`${contributions}?${query}`).expect(400);
  const parameters = (response.body.errors as { parameter: string }[]).map(({ parameter }) => parameter);
  expect(parameters.sort()).toEqual(['created_from', 'cursor', 'limit', 'secret1', 'status', 'user_hash']);
  expect(response.text.replace('secret1', '')).not.toContain('secret');
});
