import type { Test } from 'supertest';

import { addProject } from '../support/catalogue';
import { eventsAfterCreation } from '../support/events';
import { startService, type TestCompany, type TestService } from '../support/service';

/** The body of a completion: its status and the bank's evidence (specification 4.6, 4.7). */
let service: TestService;
let company: TestCompany;
let projectId: number;

const address = (id: string): string => `/company/integration/contributions/${id}`;

let userCount = 0;
async function createPending(): Promise<string> {
  const response = await company.test
    .put('/company/integration/contributions/create', {
      project_id: projectId,
      amount: '25.50',
      user_hash: `user-${(userCount += 1)}`,
    })
    .expect(201);
  return response.body.transaction_id as string;
}

function complete(id: string, evidence: object = {}): Test {
  return company.test.put(address(id), { status: 'completed', ...evidence });
}

async function rows(sql: string, values: unknown[]): Promise<Record<string, unknown>[]> {
  return (await service.database.admin.query<Record<string, unknown>>(sql, values)).rows;
}

const eventsOf = (id: string) => eventsAfterCreation(service.database.admin, id);

const supportsOf = (id: string) =>
  rows(
    'SELECT s.project_id FROM transactions t JOIN supports s USING (environment_id, user_id) WHERE transaction_id = $1',
    [id],
  );

async function stateOf(id: string): Promise<unknown> {
  const [row] = await rows('SELECT to_jsonb(t) AS row FROM transactions t WHERE transaction_id = $1', [id]);
  return row!['row'];
}

beforeAll(async () => {
  service = await startService();
  company = await service.addCompany();
  projectId = await addProject(service.database.admin);
});

afterAll(() => service.stop());

describe('the status in the body', () => {
  test.each([['pending'], ['COMPLETED'], ['completed '], [''], [null], [1], [true], [['completed']], [{}]])(
    '%j is rejected with 400 that points at status, and nothing changes',
    async (status) => {
      const id = await createPending();
      const response = await company.test.put(address(id), { status }).expect(400);

      expect(response.body).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/status' }] });
      expect(await stateOf(id)).toMatchObject({ status: 'pending' });
    },
  );

  test('is required', async () => {
    const id = await createPending();
    const response = await company.test.put(address(id), { transaction_id: id }).expect(400);
    expect(response.body.errors).toEqual([
      { pointer: '/status', code: 'required', detail: expect.any(String) },
    ]);
  });
});

describe('evidence', () => {
  test('is stored with the transaction and in the event, and returned', async () => {
    const id = await createPending();
    const evidence = { amount: '25.50', bank_reference: 'FT-2026-0042 / Zürich', value_date: '2026-01-31' };
    await complete(id, evidence).expect(200);

    expect(await stateOf(id)).toMatchObject({
      bank_reference: 'FT-2026-0042 / Zürich',
      value_date: '2026-01-31',
    });
    expect(await eventsOf(id)).toEqual([
      {
        type: 'contribution.completed',
        evidence: { amount_cents: 2550, bank_reference: 'FT-2026-0042 / Zürich', value_date: '2026-01-31' },
      },
    ]);
    const read = await company.test.get(address(id)).expect(200);
    expect(read.body).toMatchObject({
      bank_reference: 'FT-2026-0042 / Zürich',
      value_date: '2026-01-31',
    });
  });

  test.each([25.5, '25.5', '25.50'])('may state the correct amount as %j', async (amount) => {
    const id = await createPending();
    await complete(id, { amount }).expect(200);
  });

  test.each([null, ''])('%j is the same as no evidence', async (empty) => {
    const id = await createPending();
    await complete(id, { currency: empty, bank_reference: empty, value_date: empty }).expect(200);

    expect(await stateOf(id)).toMatchObject({ bank_reference: null, value_date: null });
    expect(await eventsOf(id)).toEqual([{ type: 'contribution.completed', evidence: {} }]);
  });

  test.each([null, ''])('with the amount %j is rejected: it would skip the check', async (amount) => {
    const id = await createPending();
    const response = await complete(id, { amount }).expect(400);
    expect(response.body.errors).toEqual([
      { pointer: '/amount', code: 'required', detail: expect.stringContaining('leave the field out') },
    ]);
    expect(await stateOf(id)).toMatchObject({ status: 'pending' });
  });

  test('with the id of another transaction than the path is rejected', async () => {
    const [id, other] = [await createPending(), await createPending()];
    const response = await complete(id, { transaction_id: other }).expect(400);
    expect(response.body.errors).toMatchObject([{ pointer: '/transaction_id', code: 'unsupported_value' }]);
    expect(await stateOf(id)).toMatchObject({ status: 'pending' });
    await complete(id, { transaction_id: ` ${id.slice(0, 4)}-${id.slice(4).toLowerCase()}` }).expect(200);
  });

  test('with unknown members is accepted without them', async () => {
    const id = await createPending();
    await complete(id, { completed_at: '2020-01-01T00:00:00Z', constructor: 1 }).expect(200);
    expect(await eventsOf(id)).toEqual([{ type: 'contribution.completed', evidence: {} }]);
  });

  const bad: [member: string, values: unknown[]][] = [
    ['amount', ['x', '25,50', '25.505', '-25.50', '0', ' 25.50', true, {}, [], 1e21, '1000000000.01']],
    ['bank_reference', ['r'.repeat(141), 'FT\u0000', 'FT\n1', '\ud800', 42, {}, []]],
    [
      'value_date',
      ['2026-02-30', '2026-2-1', '31.01.2026', '2026-01-31T00:00:00Z', '0000-01-01', 20260131, {}],
    ],
    ['currency', ['EUR', 'usd', 1]],
  ];
  const badMembers = bad.flatMap(([member, values]) =>
    values.map((value): [string, string, unknown] => [member, JSON.stringify(value).slice(0, 24), value]),
  );

  test.each(badMembers)(
    'with %s %s is rejected with 400, and nothing changes',
    async (member, _text, value) => {
      const id = await createPending();
      const response = await complete(id, { [member]: value }).expect(400);

      expect(response.body).toMatchObject({ code: 'invalid_request', errors: [{ pointer: `/${member}` }] });
      expect(await stateOf(id)).toMatchObject({ status: 'pending' });
      expect(await eventsOf(id)).toEqual([]);
    },
  );

  test('may have a reference of 140 characters and a leap day', async () => {
    const id = await createPending();
    await complete(id, { bank_reference: '王'.repeat(140), value_date: '2028-02-29' }).expect(200);
    expect(await stateOf(id)).toMatchObject({ value_date: '2028-02-29' });
  });

  test('with several errors gets all of them in one response', async () => {
    const id = await createPending();
    const body = { status: 'done', amount: 'x', currency: 'EUR', bank_reference: 1, value_date: 'today' };
    const response = await company.test.put(address(id), body).expect(400);
    const pointers = (response.body.errors as { pointer: string }[]).map(({ pointer }) => pointer);
    expect(pointers.sort()).toEqual(['/amount', '/bank_reference', '/currency', '/status', '/value_date']);
  });
});

describe('an amount that does not match the transaction', () => {
  const evidence = { amount: '25.51', bank_reference: 'FT-1', value_date: '2026-01-31' };
  const refused = {
    type: 'contribution.completion_refused',
    evidence: { amount_cents: 2551, bank_reference: 'FT-1', value_date: '2026-01-31' },
  };

  test('gets 409 each time and is recorded with the evidence, and the transaction stays pending', async () => {
    const id = await createPending();
    const before = await stateOf(id);
    for (let count = 1; count <= 2; count += 1) {
      const response = await complete(id, evidence).expect(409);
      expect(response.body).toMatchObject({ code: 'amount_mismatch', retryable: false });
      expect(await eventsOf(id)).toEqual(Array.from({ length: count }, () => refused));
    }
    expect(await stateOf(id)).toEqual(before);
    expect(await supportsOf(id)).toEqual([]);

    await complete(id, { amount: '25.50' }).expect(200);
    expect(await supportsOf(id)).toEqual([{ project_id: projectId }]);
  });

  test('gets 409 after the completion too and is recorded, and the completion does not change', async () => {
    const id = await createPending();
    await complete(id, { bank_reference: 'FT-0' }).expect(200);
    const before = await stateOf(id);
    await complete(id, evidence).expect(409);

    expect(await stateOf(id)).toEqual(before);
    expect(await eventsOf(id)).toEqual([
      { type: 'contribution.completed', evidence: { bank_reference: 'FT-0' } },
      refused,
    ]);
  });

  test('is recorded even above the maximum amount of a contribution', async () => {
    const id = await createPending();
    await complete(id, { amount: '1000000000.00' }).expect(409);
    expect(await eventsOf(id)).toEqual([
      { type: 'contribution.completion_refused', evidence: { amount_cents: 100_000_000_000 } },
    ]);
  });
});

describe('the media type', () => {
  test.each(['multipart/form-data; boundary=xYzZY', 'application/x-www-form-urlencoded', 'text/plain'])(
    '%s is rejected with 415',
    async (type) => {
      const id = await createPending();
      const response = await company.test
        .put(address(id))
        .set('Content-Type', type)
        .send('--xYzZY\r\nContent-Disposition: form-data; name="status"\r\n\r\ncompleted\r\n--xYzZY--\r\n')
        .expect(415);
      expect(response.body.code).toBe('unsupported_media_type');
      expect(await stateOf(id)).toMatchObject({ status: 'pending' });
    },
  );

  test('a request without media type and body is rejected with 415 and advice', async () => {
    const id = await createPending();
    const response = await company.test.put(address(id)).expect(415);
    expect(response.body.detail).toContain('application/json');
  });

  test('application/json with a charset in another case is accepted', async () => {
    const id = await createPending();
    await company.test
      .put(address(id))
      .set('Content-Type', 'Application/JSON; Charset="UTF-8"')
      .send('{"status":"completed"}')
      .expect(200);
  });
});
