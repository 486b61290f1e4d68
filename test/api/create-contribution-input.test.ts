import type { Test } from 'supertest';

import { addProject } from '../support/catalogue';
import { startService, type TestCompany, type TestService } from '../support/service';

/** The input of the create routes, value by value (specification 4.3 and 4.5). */
let service: TestService;
let company: TestCompany;
let projectId: number;

const jsonRoutes: ['put' | 'post', string][] = [
  ['put', '/company/integration/contributions/create'],
  ['post', '/company/integration/orders/make'],
  ['post', '/company/integration/create/payment'],
];
const formRoutes = jsonRoutes.filter(([method]) => method === 'post');

/**
 * A JSON body whose members are JSON texts, so that a test can send text that JSON.stringify never
 * writes.
 */
function jsonText(members: Record<string, string>): string {
  const valid = { project_id: String(projectId), amount: '25', user_hash: '"user=="' };
  const texts = Object.entries({ ...valid, ...members }).filter(([, text]) => text !== '');
  return `{${texts.map(([name, text]) => `"${name}":${text}`).join(',')}}`;
}

function sendJson(method: 'put' | 'post', path: string, members: Record<string, string>): Test {
  return company.test[method](path).set('Content-Type', 'application/json').send(jsonText(members));
}

function sendForm(path: string, fields: Record<string, string>): Test {
  const valid = { project_id: String(projectId), amount: '25', user_hash: 'user==' };
  return Object.entries({ ...valid, ...fields }).reduce(
    (test, [name, value]) => test.field(name, value),
    company.test.post(path),
  );
}

async function centsOf(transactionId: unknown): Promise<string | undefined> {
  const { rows } = await service.database.admin.query<{ amount_cents: string }>(
    'SELECT amount_cents FROM transactions WHERE transaction_id = $1',
    [transactionId],
  );
  return rows[0]?.amount_cents;
}

/** Adds a readable name to each text, for the titles of tests. Shortens long texts. */
const named = (texts: string[], label = (text: string) => text): [name: string, text: string][] =>
  texts.map((text) => [text.length > 40 ? `${text.slice(0, 4)}… (${text.length} units)` : label(text), text]);
const asJson = (text: string): string => JSON.stringify(text);

const wrong = (pointer: string, code: unknown = expect.any(String)) => ({
  code: 'invalid_request',
  errors: [{ pointer, code, detail: expect.any(String) }],
});

beforeAll(async () => {
  service = await startService();
  company = await service.addCompany();
  projectId = await addProject(service.database.admin);
});

afterAll(() => service.stop());

const acceptedAmounts: [text: string, cents: string][] = [
  ['10', '1000'],
  ['"10"', '1000'],
  ['10.5', '1050'],
  ['"10.50"', '1050'],
  ['"0.01"', '1'],
  ['0.1', '10'],
  ['0.29', '29'],
  ['1.15', '115'],
  ['1000000', '100000000'],
  ['"1000000.00"', '100000000'],
  ['1e3', '100000'],
  ['10.000', '1000'],
];

const refusedAmountTexts = [
  ...['0', '-1', '1e3', '10.005', '10,50', '1,000', ' 10', '10 ', '.5', '5.', '+5', '010', '00.50', '0.00'],
  ...[
    '1e400',
    'NaN',
    'Infinity',
    '1000000.01',
    '0x10',
    '１０',
    '١٠',
    '10\n',
    '$10',
    '10 USD',
    '1'.repeat(400),
  ],
];
const refusedAmounts = [
  ...refusedAmountTexts.map((text) => JSON.stringify(text)),
  ...['0', '-0', '-1', '10.005', '0.001', '1e400', '-1e400', '1e21', '1e-7', '1000000.01'],
  ...['""', 'true', 'false', 'null', '[]', '[10]', '{}', '{"valueOf":10}'],
];

const refusedProjectIds = [
  ...['"abc"', '1.5', '"1.5"', '0', '"0"', '-1', '"-1"', '""', 'null', '[]', '[1]', 'true', '{}'],
  ...['1e300', '1e400', '9007199254740992', '"9007199254740993"', '"01"', '" 1"', '"1 "', '"1e0"', '"１"'],
];

const refusedUserHashes = [
  ...[
    '""',
    '" "',
    '"with space"',
    '"trailing "',
    '"\\u0000"',
    '"a\\u0000b"',
    '"\\t"',
    '"\\u007f"',
    '"é"',
    '"😀"',
  ],
  ...['"\\ud800"', '1', 'true', 'null', '[]', '["user"]', '{}', JSON.stringify('x'.repeat(1025))],
];

const refusedNames = [
  ...[
    '"\\u0000"',
    '"A\\nB"',
    '"A\\tB"',
    '"\\u001b[31m"',
    '"\\u007f"',
    '"\\u0085"',
    '"\\ud800"',
    '"A\\udc00"',
  ],
  ...['1', 'true', '[]', '{}', JSON.stringify('n'.repeat(101)), JSON.stringify('😀'.repeat(101))],
];

describe.each(jsonRoutes)('%s %s with JSON', (method, path) => {
  test.each(acceptedAmounts)('the amount %s is accepted as %s cents', async (amount, cents) => {
    const response = await sendJson(method, path, { amount }).expect(201);
    expect(await centsOf(response.body.transaction_id)).toBe(cents);
  });

  test.each(named(refusedAmounts))('the amount %s is rejected with 400', async (_name, amount) => {
    const response = await sendJson(method, path, { amount }).expect(400);
    expect(response.body).toMatchObject(wrong('/amount'));
  });

  test.each(named(refusedProjectIds))('the project_id %s is rejected with 400', async (_name, text) => {
    const response = await sendJson(method, path, { project_id: text }).expect(400);
    expect(response.body).toMatchObject(wrong('/project_id'));
  });

  test.each(['9007199254740991', '2147483648', '"2147483648"'])(
    'the project_id %s is well formed but unknown, and is rejected with 422',
    async (text) => {
      const response = await sendJson(method, path, { project_id: text }).expect(422);
      expect(response.body.code).toBe('project_not_found');
    },
  );

  test('a project_id of digits in a string is accepted', async () => {
    await sendJson(method, path, { project_id: `"${projectId}"` }).expect(201);
  });

  test.each(named(refusedUserHashes))('the user_hash %s is rejected with 400', async (_name, text) => {
    const response = await sendJson(method, path, { user_hash: text }).expect(400);
    expect(response.body).toMatchObject(wrong('/user_hash'));
    // A "+" means a space only in a query.
    expect(response.text).not.toContain('%2B');
  });

  test.each(named(['!', '~', 'x'.repeat(1024), '\'";--', '%2B+/='], asJson))(
    'the user_hash %s is accepted',
    async (_name, userHash) => {
      await sendJson(method, path, { user_hash: JSON.stringify(userHash) }).expect(201);
    },
  );

  test.each(named(refusedNames))('the name %s is rejected with 400', async (_name, name) => {
    const response = await sendJson(method, path, { name }).expect(400);
    expect(response.body).toMatchObject(wrong('/name'));
  });

  test.each(
    named([...['n', '😀', '王'].map((letter) => letter.repeat(100)), "O'Brien", 'José', 'Zoë 🌱', 'محمد']),
  )('the name %s is accepted', async (_name, name) => {
    await sendJson(method, path, { name: JSON.stringify(name) }).expect(201);
  });

  test.each(['null', '""'])('an optional member may be %s, which is the same as absent', async (empty) => {
    await sendJson(method, path, { name: empty, currency: empty }).expect(201);
  });

  test.each(['project_id', 'amount', 'user_hash'])(
    'a missing %s is rejected with 400 required',
    async (name) => {
      const response = await sendJson(method, path, { [name]: '' }).expect(400);
      expect(response.body).toMatchObject(wrong(`/${name}`, 'required'));
    },
  );

  test('one response names all errors, including the header, and repeats no value', async () => {
    const members = {
      project_id: '"p-secret"',
      amount: '"a-secret"',
      user_hash: '"u secret"',
      name: '"n-secret\\n"',
    };
    const response = await sendJson(method, path, { ...members, currency: '"EUR"' })
      .set('Idempotency-Key', 'k'.repeat(256))
      .expect(400);

    const places = (response.body.errors as { pointer?: string; header?: string }[]).map(
      ({ pointer, header }) => pointer ?? header,
    );
    expect(places.sort()).toEqual(
      ['/amount', '/currency', '/name', '/project_id', '/user_hash', 'Idempotency-Key'].sort(),
    );
    expect(response.text).not.toContain('secret');
  });

  test.each(named(['', '[]', '"text"', '1', 'null', 'true', '{', "{'amount':1}", '\u0000'], asJson))(
    'the body %s is rejected with 400 malformed_body',
    async (_name, body) => {
      const response = await company.test[method](path)
        .set('Content-Type', 'application/json')
        .send(body)
        .expect(400);
      expect(response.body.code).toBe('malformed_body');
    },
  );
});

describe.each(formRoutes)('%s %s with a form', (_method, path) => {
  test.each(['10', '10.5', '10.50', '0.01', '1000000.00'])('the amount %s is accepted', async (amount) => {
    await sendForm(path, { amount }).expect(201);
  });

  test.each(named(['', ...refusedAmountTexts], asJson))(
    'the amount %s is rejected with 400',
    async (_name, amount) => {
      const response = await sendForm(path, { amount }).expect(400);
      expect(response.body).toMatchObject(wrong('/amount'));
    },
  );

  test.each(['abc', '1.5', '0', '-1', '', '01', ' 1', '1e300', '9007199254740993'])(
    'the project_id "%s" is rejected with 400',
    async (text) => {
      const response = await sendForm(path, { project_id: text }).expect(400);
      expect(response.body).toMatchObject(wrong('/project_id'));
    },
  );

  test.each(named(['', 'with space', 'a\u0000b', 'é', 'x'.repeat(1025)], asJson))(
    'the user_hash %s is rejected with 400',
    async (_name, userHash) => {
      const response = await sendForm(path, { user_hash: userHash }).expect(400);
      expect(response.body).toMatchObject(wrong('/user_hash'));
    },
  );

  test.each(named(['A\u0000B', 'A\r\nB', 'n'.repeat(101)], asJson))(
    'the name %s is rejected with 400',
    async (_name, name) => {
      const response = await sendForm(path, { name }).expect(400);
      expect(response.body).toMatchObject(wrong('/name'));
    },
  );

  test('one response names all errors', async () => {
    const fields = { project_id: 'x', amount: 'x', user_hash: '', name: '\t', currency: 'EUR' };
    const response = await sendForm(path, fields).expect(400);
    const pointers = (response.body.errors as { pointer: string }[]).map(({ pointer }) => pointer);
    expect(pointers.sort()).toEqual(['/amount', '/currency', '/name', '/project_id', '/user_hash']);
  });
});

test('the minimum and maximum amount are inclusive settings, and the error names them', async () => {
  const narrow = await startService({
    database: service.database,
    settings: { MINIMUM_AMOUNT: '5.00', MAXIMUM_AMOUNT: '20.00' },
  });
  try {
    const { test: client } = await narrow.addCompany('A company with narrow bounds');
    const create = (amount: string) =>
      client.put('/company/integration/contributions/create', {
        project_id: projectId,
        amount,
        user_hash: 'user==',
      });
    await create('5.00').expect(201);
    await create('20').expect(201);
    for (const amount of ['4.99', '20.01']) {
      const response = await create(amount).expect(400);
      expect(response.body.errors).toEqual([
        { pointer: '/amount', code: 'out_of_range', detail: expect.stringMatching(/5\.00.*20\.00/) },
      ]);
    }
  } finally {
    await narrow.stop();
  }
});
