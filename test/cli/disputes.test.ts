import { disputeKinds } from '../../src/operator/contribution-lookup/dispute-kinds';
import { addProject } from '../support/catalogue';
import { operate } from '../support/operations';
import { operatorLogin } from '../support/role-url';
import { startService, type TestCompany, type TestService } from '../support/service';
import { verificationOf } from '../support/verification';

/** Listing and resolving amount mismatches and contested completions. */
let service: TestService;
let acme: TestCompany;
let [bank, second]: TestCompany[] = [];
let projectId: number;
const contributions = '/company/integration/contributions';

beforeAll(async () => {
  service = await startService();
  acme = await service.addCompany('Acme');
  [bank, second] = [await service.addCompany('Bank'), await service.addCompany('Second Bank')];
  for (const { name } of [bank, second]) await service.companies.linkBank('test', 'Acme', name);
  projectId = await addProject(service.database.admin);
});
afterAll(() => service.stop());

async function create(): Promise<string> {
  const body = { project_id: projectId, amount: '7.50', user_hash: 'user' };
  const response = await acme.test.put(`${contributions}/create`, body).expect(201);
  return (response.body as { transaction_id: string }).transaction_id;
}
const complete = (id: string, amount?: string) =>
  bank!.test.put(`${contributions}/${id}`, { status: 'completed', ...(amount && { amount }) });
const contest = (id: string, evidence: object = {}) =>
  second!.test.put(`${contributions}/${id}`, { status: 'completed', ...evidence }).expect(409);
type Kind = keyof typeof disputeKinds;
const open = (id: string, kind: Kind = 'mismatches') =>
  operate(
    service.database,
    async ({ disputes }) =>
      (await disputes[kind].listOpen()).filter(({ transactionId }) => transactionId === id),
    'read',
  );

/** Does what the command does: the work and its audit log entry in one transaction. */
const resolve = (id: string, reason: string, of: Kind = 'mismatches') =>
  operate(service.database, async ({ disputes, actions }) => {
    const { refusals, lastRefusedAtExactly } = await disputes[of].resolve(id);
    await actions.record({
      claimedOperator: 'anna',
      command: disputeKinds[of].command,
      target: id,
      arguments: { reason },
      result: { refusals, refused_until: lastRefusedAtExactly },
    });
    return refusals;
  });

test('a mismatch is listed with the promised and the reported amounts until it is resolved', async () => {
  const id = await create();
  expect(await open(id)).toEqual([]);
  for (const amount of ['9.00', '10.00', '9.00']) await complete(id, amount).expect(409);
  expect(await open(id)).toEqual([
    expect.objectContaining({
      company: 'Acme',
      kind: 'test',
      status: 'pending',
      amount: '7.50',
      reportedAmounts: ['9.00', '10.00'],
      refusals: 3,
      bank: 'Bank',
    }),
  ]);
  expect(await resolve(id, 'the bank returned 1.50')).toBe(3);
  expect(await open(id)).toEqual([]);
  const resolutions = await operate(
    service.database,
    ({ disputes }) => disputes.mismatches.resolutions(id),
    'read',
  );
  expect(resolutions).toEqual([
    { resolvedAt: expect.any(Date), operator: operatorLogin, reason: 'the bank returned 1.50' },
  ]);
});

test('resolving changes neither the contribution nor its events, and a correct completion still succeeds', async () => {
  const id = await create();
  await complete(id, '9.00').expect(409);
  const rows = async () =>
    (
      await service.database.admin.query<Record<string, unknown>>(
        `SELECT t.xmin::text, to_jsonb(t) AS transaction, (SELECT count(*) FROM events e WHERE e.transaction_id = $1) AS events
           FROM transactions t WHERE t.transaction_id = $1`,
        [id],
      )
    ).rows;
  const before = await rows();
  await resolve(id, 'the bank had read another line');
  expect(await rows()).toEqual(before);
  await complete(id, '7.50').expect(200);
  expect((await verificationOf(service.database.ownerUrl)).violationCount).toBe(0);
});

test('a mismatch after the resolution reopens the dispute, with new attempts only', async () => {
  const id = await create();
  await complete(id, '9.00').expect(409);
  await resolve(id, 'agreed');
  await complete(id, '9.50').expect(409);
  expect(await open(id)).toEqual([expect.objectContaining({ refusals: 1, reportedAmounts: ['9.50'] })]);
  await expect(resolve(id, 'agreed again')).resolves.toBe(1);
});

test('resolving fails without an unresolved mismatch', async () => {
  const id = await create();
  await expect(resolve(id, 'nothing')).rejects.toThrow(`${id} has no amount mismatch.`);
  await complete(id, '9.00').expect(409);
  await resolve(id, 'first');
  await expect(resolve(id, 'second')).rejects.toThrow(`by ${operatorLogin}, and none was recorded since`);
});

test('one of two concurrent resolutions succeeds, and the other names its operator', async () => {
  const id = await create();
  await complete(id, '9.00').expect(409);
  const results = await Promise.allSettled([resolve(id, 'one'), resolve(id, 'other')]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const resolutions = await operate(
    service.database,
    ({ disputes }) => disputes.mismatches.resolutions(id),
    'read',
  );
  expect(resolutions).toHaveLength(1);
});

test('a completion that is sent again after its money was returned is a case until it is resolved', async () => {
  const id = await create();
  await complete(id).expect(200);
  const back = { kind: 'return', amount: '7.50', bank_reference: 'RT-1' };
  await bank!.test.post(`${contributions}/${id}/returns`, back).expect(201);
  expect(await open(id, 'repeated')).toEqual([]);
  for (let count = 0; count < 2; count += 1) await complete(id).expect(200);
  expect(await open(id, 'repeated')).toEqual([
    expect.objectContaining({ company: 'Acme', reportedBy: ['Bank'], refusals: 2, amount: '7.50' }),
  ]);
  expect(await resolve(id, 'a retry', 'repeated')).toBe(2);
  expect(await open(id, 'repeated')).toEqual([]);
});

describe('a contested completion', () => {
  async function createContested(evidence: object = {}): Promise<string> {
    const id = await create();
    await bank!.test
      .put(`${contributions}/${id}`, {
        status: 'completed',
        bank_reference: 'FT-1',
        value_date: '2026-11-20',
      })
      .expect(200);
    await contest(id, evidence);
    return id;
  }

  test('is listed with the reports of both parties until it is resolved, and reopened by another report', async () => {
    const id = await createContested({ amount: '9.00', bank_reference: 'FT-2', value_date: '2026-11-21' });
    await contest(id);
    expect(await open(id, 'contested')).toEqual([
      expect.objectContaining({
        company: 'Acme',
        kind: 'test',
        status: 'completed',
        amount: '7.50',
        completedBy: 'Bank',
        bankReference: 'FT-1',
        valueDate: '2026-11-20',
        reportedBy: ['Second Bank'],
        reportedAmounts: ['9.00'],
        reportedReferences: ['FT-2'],
        reportedValueDates: ['2026-11-21'],
        refusals: 2,
      }),
    ]);
    expect(await resolve(id, 'the second bank returned it', 'contested')).toBe(2);
    expect(await open(id, 'contested')).toEqual([]);
    await contest(id);
    expect(await open(id, 'contested')).toEqual([
      expect.objectContaining({ refusals: 1, reportedAmounts: [], reportedReferences: [] }),
    ]);
  });

  test('is not an amount mismatch even if its amount differs, and is resolved separately', async () => {
    const id = await createContested({ amount: '9.00' });
    expect(await open(id)).toEqual([]);
    await expect(resolve(id, 'looked at the amount')).rejects.toThrow(`${id} has no amount mismatch.`);
    await complete(id, '8.00').expect(409);
    expect(await open(id)).toEqual([expect.objectContaining({ reportedAmounts: ['8.00'], refusals: 1 })]);
    await resolve(id, 'the bank mistyped');
    expect(await open(id)).toEqual([]);
    expect(await open(id, 'contested')).toHaveLength(1);
    await resolve(id, 'the second bank returned it', 'contested');
    expect((await verificationOf(service.database.ownerUrl)).violationCount).toBe(0);
  });

  test('cannot be resolved if there is none', async () => {
    const id = await create();
    await complete(id).expect(200);
    await expect(resolve(id, 'nothing', 'contested')).rejects.toThrow(`${id} has no contested completion.`);
    await contest(id);
    await resolve(id, 'first', 'contested');
    await expect(resolve(id, 'second', 'contested')).rejects.toThrow(
      `by ${operatorLogin}, and none was recorded since`,
    );
  });
});
