import type { Response, Test } from 'supertest';

import { addProject } from '../support/catalogue';
import type { Client } from '../support/client';
import { startService, type TestCompany, type TestService } from '../support/service';

/**
 * Who may complete a contribution: the company if it has no bank, otherwise the bank that is linked
 * to it.
 */
let service: TestService;
let projectId: number;
let company: TestCompany;
let bank: TestCompany;

const contributions = '/company/integration/contributions';

let userCount = 0;
async function createPending(client: Client = company.test): Promise<string> {
  const response = await client
    .put(`${contributions}/create`, {
      project_id: projectId,
      amount: '25.50',
      user_hash: `user-${(userCount += 1)}`,
    })
    .expect(201);
  return response.body.transaction_id as string;
}

const complete = (client: Client, id: string, evidence: object = {}): Test =>
  client.put(`${contributions}/${id}`, { status: 'completed', ...evidence });

const link = (kind: 'test' | 'production' = 'test'): Promise<boolean> =>
  service.companies.linkBank(kind, company.name, bank.name);
const unlink = (): Promise<void> => service.companies.unlinkBank('test', company.name, bank.name);

async function expectCompleted(request: Test, id: string): Promise<Response> {
  const response = await request.expect(200);
  expect(response.body).toMatchObject({ transaction_id: id, status: 'completed' });
  return response;
}

async function expectReservedForBank(request: Test): Promise<void> {
  const response = await request.expect(403);
  expect(response.body).toMatchObject({ code: 'completion_reserved_for_bank', retryable: false });
}

async function expectUnknown(request: Test): Promise<void> {
  const response = await request.expect(404);
  expect(response.body.code).toBe('transaction_not_found');
}

async function rows(sql: string, values: unknown[]): Promise<Record<string, unknown>[]> {
  return (await service.database.admin.query<Record<string, unknown>>(sql, values)).rows;
}

beforeAll(async () => {
  service = await startService();
  projectId = await addProject(service.database.admin);
});

beforeEach(async () => {
  [company, bank] = [await service.addCompany(), await service.addCompany()];
});

afterAll(() => service.stop());

describe('without a bank', () => {
  test('the company completes its own contributions', async () => {
    const id = await createPending();
    await expectCompleted(complete(company.test, id), id);
  });

  test('another company gets 404', async () => {
    const id = await createPending();
    await expectUnknown(complete(bank.test, id));
    await expectUnknown(bank.test.get(`${contributions}/${id}`));
  });
});

describe('while a bank is linked', () => {
  test('the bank completes, and the event names the bank', async () => {
    await link();
    const id = await createPending();
    const response = await expectCompleted(complete(bank.test, id, { bank_reference: 'FT-1' }), id);
    expect(response.get('Idempotent-Replayed')).toBeUndefined();

    const [row] = await rows(
      `SELECT t.environment_id, t.completed_by_environment_id, t.completed_by_api_key, e.actor_environment_id,
              e.actor_api_key, e.environment_id AS event_environment_id
         FROM transactions t JOIN events e USING (environment_id, transaction_id)
        WHERE transaction_id = $1 AND e.type = 'contribution.completed'`,
      [id],
    );
    expect(row).toMatchObject({
      completed_by_api_key: bank.test.apiKey,
      actor_api_key: bank.test.apiKey,
      actor_environment_id: row!['completed_by_environment_id'],
      event_environment_id: row!['environment_id'],
    });
    expect(row!['completed_by_environment_id']).not.toBe(row!['environment_id']);
  });

  test("the company's own attempt is rejected with 403, before and after the bank's completion", async () => {
    await link();
    const id = await createPending();
    await expectReservedForBank(complete(company.test, id));
    await expectReservedForBank(complete(company.test, id, { amount: '1.00' }));
    expect(
      await rows(`SELECT FROM events WHERE transaction_id = $1 AND type <> 'contribution.created'`, [id]),
    ).toEqual([]);

    await expectCompleted(complete(bank.test, id), id);
    await expectReservedForBank(complete(company.test, id, { bank_reference: 'FT-of-the-company' }));
    expect(
      await rows(`SELECT type FROM events WHERE transaction_id = $1 ORDER BY recorded_at`, [id]),
    ).toEqual([{ type: 'contribution.created' }, { type: 'contribution.completed' }]);
  });

  test('a company that is itself the bank of another company is rejected as well', async () => {
    const client = await service.addCompany();
    await service.companies.linkBank('test', client.name, company.name);
    await link();
    const id = await createPending();
    await expectReservedForBank(complete(company.test, id));
    await expectCompleted(complete(bank.test, id), id);
  });

  test("the supporter is the company's user in the company's environment", async () => {
    await link();
    const id = await createPending();
    await complete(bank.test, id).expect(200);
    expect(
      await rows(
        'SELECT s.project_id FROM transactions t JOIN supports s USING (environment_id, user_id) WHERE transaction_id = $1',
        [id],
      ),
    ).toEqual([{ project_id: projectId }]);
  });

  test('the bank completes contributions created before the link, and the company cannot', async () => {
    const id = await createPending();
    await link();
    await expectReservedForBank(complete(company.test, id));
    await expectCompleted(complete(bank.test, id), id);
  });

  test('the company may repeat a completion that it made before the link', async () => {
    const id = await createPending();
    await complete(company.test, id).expect(200);
    await link();
    const response = await expectCompleted(complete(company.test, id), id);
    expect(response.get('Idempotent-Replayed')).toBe('true');
  });

  test('the bank gets 409 for another amount, as the company would', async () => {
    await link();
    const id = await createPending();
    const response = await complete(bank.test, id, { amount: '1.00' }).expect(409);
    expect(response.body.code).toBe('amount_mismatch');
  });

  test('the company can still read and list its contributions', async () => {
    await link();
    const id = await createPending();
    const one = await company.test.get(`${contributions}/${id}`).expect(200);
    expect(one.body).toMatchObject({ transaction_id: id, user_hash: `user-${userCount}` });
    const list = await company.test.get(contributions).expect(200);
    expect(list.body.data).toEqual([one.body]);
  });

  test('the bank can complete for a suspended company', async () => {
    await link();
    const id = await createPending();
    await rows('UPDATE companies SET suspended_at = now() WHERE name = ANY ($1)', [
      [company.name, bank.name],
    ]);
    await expectCompleted(complete(bank.test, id), id);
  });

  test('the other environment is not affected', async () => {
    await link('test');
    const id = await createPending(company.production);
    await expectUnknown(complete(bank.production, id));
    await expectUnknown(complete(bank.test, id));
    await expectCompleted(complete(company.production, id), id);
  });

  test("the company does not see the bank's contributions", async () => {
    await link();
    const id = await createPending(bank.test);
    await expectUnknown(complete(company.test, id));
    await expectCompleted(complete(bank.test, id), id);
  });

  test('the bank of one company does not see the contributions of another', async () => {
    await link();
    const other = await service.addCompany();
    const id = await createPending(other.test);
    await expectUnknown(complete(bank.test, id));
  });
});

describe('after a bank is unlinked', () => {
  test('the bank completes contributions created during its link, and no others', async () => {
    const before = await createPending();
    await link();
    const during = await createPending();
    await unlink();
    const after = await createPending();

    await expectUnknown(complete(bank.test, before));
    await expectUnknown(complete(bank.test, after));
    await expectCompleted(complete(bank.test, during), during);
  });

  test('the company completes only contributions created without a bank', async () => {
    const before = await createPending();
    await link();
    const during = await createPending();
    await unlink();
    const after = await createPending();

    await expectReservedForBank(complete(company.test, during));
    await expectCompleted(complete(company.test, before), before);
    await expectCompleted(complete(company.test, after), after);
  });

  test('the bank may always repeat and read its completions, even of contributions from before the link', async () => {
    const before = await createPending();
    await link();
    const during = await createPending();
    for (const id of [before, during]) await complete(bank.test, id).expect(200);
    await unlink();

    for (const id of [before, during]) {
      const response = await expectCompleted(complete(bank.test, id), id);
      expect(response.get('Idempotent-Replayed')).toBe('true');
      await bank.test.get(`${contributions}/${id}`).expect(200);
    }
    const list = await bank.test.get(contributions).expect(200);
    expect(list.body.data).toHaveLength(2);
  });

  test('a newly linked bank completes older pending contributions, and so may the former bank', async () => {
    const before = await createPending();
    await link();
    const [during, alsoDuring] = [await createPending(), await createPending()];
    await unlink();
    const newBank = await service.addCompany();
    await service.companies.linkBank('test', company.name, newBank.name);

    await expectCompleted(complete(newBank.test, before), before);
    await expectCompleted(complete(newBank.test, during), during);
    await expectCompleted(complete(bank.test, alsoDuring), alsoDuring);
  });

  test('a second link does not cover contributions created between the links: the company completes them', async () => {
    await link();
    const first = await createPending();
    await unlink();
    const between = await createPending();
    await link();
    const second = await createPending();
    await unlink();

    await expectUnknown(complete(bank.test, between));
    await expectCompleted(complete(company.test, between), between);
    for (const id of [first, second]) {
      await expectReservedForBank(complete(company.test, id));
      await expectCompleted(complete(bank.test, id), id);
    }
  });
});

test("exactly one of a hundred concurrent completions by the bank and the company succeeds, and it is the bank's", async () => {
  await link();
  const id = await createPending();
  const responses = await Promise.all(
    Array.from({ length: 100 }, (_none, index) => complete(index % 2 ? bank.test : company.test, id)),
  );

  expect(responses.filter(({ status }) => status === 403)).toHaveLength(50);
  const completed = responses.filter(({ status }) => status === 200);
  expect(completed).toHaveLength(50);
  expect(completed.filter((response) => response.get('Idempotent-Replayed') === undefined)).toHaveLength(1);
});
