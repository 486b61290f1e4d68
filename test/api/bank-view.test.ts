import { addProject } from '../support/catalogue';
import { startService, type TestCompany, type TestService } from '../support/service';

/** The fields of contributions that a bank sees, and those that it cannot find out. */
let service: TestService;
let projectId: number;
let company: TestCompany;
let bank: TestCompany;
let transactionId: string;

const contributions = '/company/integration/contributions';
const secrets = { user_hash: 'company-user==', name: 'Amelia', key: 'company-key' };

beforeAll(async () => {
  service = await startService();
  projectId = await addProject(service.database.admin);
  [company, bank] = [await service.addCompany(), await service.addCompany()];
  await service.companies.linkBank('test', company.name, bank.name);
  const response = await company.test
    .put(`${contributions}/create`, {
      project_id: projectId,
      amount: 25.5,
      user_hash: secrets.user_hash,
      name: secrets.name,
    })
    .set('Idempotency-Key', secrets.key)
    .expect(201);
  transactionId = response.body.transaction_id as string;
});

afterAll(() => service.stop());

async function companyIdOf({ name }: TestCompany): Promise<string> {
  const { rows } = await service.database.admin.query<{ company_id: string }>(
    'SELECT company_id FROM companies WHERE name = $1',
    [name],
  );
  return rows[0]!.company_id;
}

const bankFields = {
  status: 'pending',
  amount: '25.50',
  currency: 'USD',
  returned_amount: '0.00',
  net_amount: '25.50',
  completed_at: null,
  completed_by_you: false,
  corrected_at: null,
  bank_reference: null,
  value_date: null,
};

test('the bank sees id, company, status, amount, currency, project and times, and nothing else', async () => {
  const expected = {
    ...bankFields,
    company_id: await companyIdOf(company),
    company_name: company.name,
    transaction_id: transactionId,
    project_id: projectId,
    created_at: expect.any(String),
  };
  const one = await bank.test.get(`${contributions}/${transactionId}`).expect(200);
  expect(one.body).toEqual(expected);
  const list = await bank.test.get(contributions).expect(200);
  expect(list.body.data).toEqual([expected]);
});

test('the company also sees the user, the name and the idempotency key', async () => {
  const one = await company.test.get(`${contributions}/${transactionId}`).expect(200);
  expect(one.body).toEqual({
    ...bankFields,
    company_id: await companyIdOf(company),
    company_name: company.name,
    transaction_id: transactionId,
    project_id: projectId,
    created_at: expect.any(String),
    user_hash: secrets.user_hash,
    name: secrets.name,
    idempotency_key: secrets.key,
  });
});

test.each([
  ['user_hash', secrets.user_hash],
  ['idempotency_key', secrets.key],
])("a filter by %s does not match the company's contributions for the bank", async (parameter, value) => {
  const asBank = await bank.test
    .get(`${contributions}?${parameter}=${encodeURIComponent(value)}`)
    .expect(200);
  expect(asBank.body).toMatchObject({ data: [], has_more: false, next_cursor: null });

  const asCompany = await company.test
    .get(`${contributions}?${parameter}=${encodeURIComponent(value)}`)
    .expect(200);
  expect(asCompany.body.data).toHaveLength(1);
});

test('the same filters match contributions that the bank created for its own users', async () => {
  const created = await bank.test
    .put(`${contributions}/create`, { project_id: projectId, amount: 1, user_hash: secrets.user_hash })
    .set('Idempotency-Key', secrets.key)
    .expect(201);
  for (const filter of [
    `user_hash=${encodeURIComponent(secrets.user_hash)}`,
    `idempotency_key=${secrets.key}`,
  ]) {
    const list = await bank.test.get(`${contributions}?${filter}`).expect(200);
    expect(list.body.data).toEqual([
      expect.objectContaining({
        transaction_id: created.body.transaction_id,
        user_hash: secrets.user_hash,
        idempotency_key: secrets.key,
      }),
    ]);
  }
});

test("no response to the bank contains the company's private data, including completions and errors", async () => {
  const address = `${contributions}/${transactionId}`;
  const responses = [
    await bank.test.put(address, { status: 'completed', amount: '1.00' }).expect(409),
    await bank.test.put(address, { status: 'completed', bank_reference: 'FT-1' }).expect(200),
    await bank.test.put(address, { status: 'completed' }).expect(200),
    await bank.test.get(address).expect(200),
    await bank.test.get(`${contributions}?status=completed`).expect(200),
  ];
  for (const { text } of responses) {
    for (const secret of Object.values(secrets)) expect(text).not.toContain(secret);
  }
});

test('after its link has ended, the bank lists only contributions that it may complete', async () => {
  const during = transactionId;
  await service.companies.unlinkBank('test', company.name, bank.name);
  const later = await company.test
    .put(`${contributions}/create`, { project_id: projectId, amount: 1, user_hash: 'later==' })
    .expect(201);

  const list = await bank.test.get(`${contributions}?project_id=${projectId}`).expect(200);
  const ids = (list.body.data as { transaction_id: string }[]).map(({ transaction_id: id }) => id);
  expect(ids).toContain(during);
  expect(ids).not.toContain(later.body.transaction_id);
});

test('each contribution shows its own user, not another user of the environment', async () => {
  const owner = await service.addCompany();
  const userOf = new Map<string, string>();
  for (const user of ['first', 'second', 'third']) {
    const { body } = await owner.test
      .put(`${contributions}/create`, { project_id: projectId, amount: 1, user_hash: user })
      .expect(201);
    userOf.set(body.transaction_id as string, user);
  }
  for (const [id, user] of userOf) {
    const { body } = await owner.test.get(`${contributions}/${id}`).expect(200);
    expect(body.user_hash).toBe(user);
  }
});

test('a contribution created before a link that has ended is invisible to that bank, by id and in its list', async () => {
  const [owner, formerBank] = [await service.addCompany(), await service.addCompany()];
  const send = () =>
    owner.test
      .put(`${contributions}/create`, { project_id: projectId, amount: 1, user_hash: 'u' })
      .expect(201)
      .then(({ body }) => body.transaction_id as string);
  const before = await send();
  await service.companies.linkBank('test', owner.name, formerBank.name);
  const during = await send();
  await service.companies.unlinkBank('test', owner.name, formerBank.name);
  await send();
  // Neither another company of the former bank nor another bank of the company makes it visible.
  const other = await service.addCompany();
  await service.companies.linkBank('test', other.name, formerBank.name);
  await service.companies.linkBank('test', owner.name, bank.name);
  await send();

  const { body } = await formerBank.test.get(contributions).expect(200);
  const ids = (body.data as { transaction_id: string }[]).map(({ transaction_id: id }) => id);
  expect(ids).toEqual([during]);
  await formerBank.test.get(`${contributions}/${before}`).expect(404);
});

test('a contribution with a bank does not exist for a third party, even when completed', async () => {
  const stranger = await service.addCompany();
  const response = await stranger.test.put(`${contributions}/${transactionId}`, { status: 'completed' });
  expect([response.status, response.body.code]).toEqual([404, 'transaction_not_found']);
});

describe('a bank of several companies', () => {
  let otherCompany: TestCompany;
  let severalBank: TestCompany;
  /** The pending contributions by company, including the bank's own. */
  let pending: Map<TestCompany, string>;

  beforeAll(async () => {
    [otherCompany, severalBank] = [await service.addCompany(), await service.addCompany()];
    const first = await service.addCompany();
    pending = new Map();
    for (const owner of [first, otherCompany]) {
      await service.companies.linkBank('test', owner.name, severalBank.name);
    }
    for (const owner of [first, otherCompany, severalBank]) {
      const { body } = await owner.test
        .put(`${contributions}/create`, { project_id: projectId, amount: 1, user_hash: 'several' })
        .expect(201);
      pending.set(owner, body.transaction_id as string);
    }
  });

  test('sees on every row which company created it', async () => {
    const { body } = await severalBank.test.get(contributions).expect(200);
    const names = (body.data as Record<string, unknown>[]).map((row) => [
      row['transaction_id'],
      row['company_id'],
      row['company_name'],
    ]);
    const expected = await Promise.all(
      [...pending].map(async ([owner, id]) => [id, await companyIdOf(owner), owner.name]),
    );
    expect(names).toEqual(expected);
  });

  test('finds the contributions of exactly one company with company_id', async () => {
    for (const [owner, id] of pending) {
      for (const companyId of [await companyIdOf(owner), (await companyIdOf(owner)).toUpperCase()]) {
        const { body } = await severalBank.test.get(`${contributions}?company_id=${companyId}`).expect(200);
        expect((body.data as { transaction_id: string }[]).map((row) => row.transaction_id)).toEqual([id]);
      }
    }
    const unlinked = await service.addCompany();
    for (const companyId of [await companyIdOf(unlinked), '00000000-0000-7000-8000-000000000000']) {
      const { body } = await severalBank.test.get(`${contributions}?company_id=${companyId}`).expect(200);
      expect(body).toMatchObject({ data: [], has_more: false, next_cursor: null });
    }
  });

  test("does not change its company's list: the company's own company_id matches everything, the bank's matches nothing", async () => {
    const own = await otherCompany.test.get(`${contributions}?company_id=${await companyIdOf(otherCompany)}`);
    expect(own.body.data).toEqual((await otherCompany.test.get(contributions)).body.data);
    const ofBank = await otherCompany.test.get(
      `${contributions}?company_id=${await companyIdOf(severalBank)}`,
    );
    expect(ofBank.body.data).toEqual([]);
  });

  test('sees in completed_by_you which of the two completed', async () => {
    const id = pending.get(otherCompany)!;
    await severalBank.test.put(`${contributions}/${id}`, { status: 'completed' }).expect(200);
    const shownTo = async (reader: TestCompany): Promise<unknown> =>
      (await reader.test.get(`${contributions}/${id}`).expect(200)).body.completed_by_you;
    expect([await shownTo(severalBank), await shownTo(otherCompany)]).toEqual([true, false]);
    const list = await severalBank.test.get(`${contributions}?status=completed`).expect(200);
    expect(list.body.data).toMatchObject([{ transaction_id: id, completed_by_you: true }]);
  });
});
