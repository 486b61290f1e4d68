import { resolutionCommand } from '../../src/modules/ledger/resolution-command';
import { addProject } from '../support/catalogue';
import { operate } from '../support/operations';
import { startService, type TestCompany, type TestService } from '../support/service';
import { verificationOf } from '../support/verification';

/** Money has moved, and another amount than was promised: what an operator sees of it, and says about it. */
let service: TestService;
let acme: TestCompany;
let bank: TestCompany;
let projectId: number;
const contributions = '/company/integration/contributions';

beforeAll(async () => {
  service = await startService();
  [acme, bank] = [await service.addCompany('Acme'), await service.addCompany('Bank')];
  await service.companies.linkBank('test', 'Acme', 'Bank');
  projectId = await addProject(service.database.admin);
});
afterAll(() => service.stop());

async function create(): Promise<string> {
  const body = { project_id: projectId, amount: '7.50', user_hash: 'user' };
  const answer = await acme.test.put(`${contributions}/create`, body).expect(201);
  return (answer.body as { transaction_id: string }).transaction_id;
}
const complete = (id: string, amount?: string) =>
  bank.test.put(`${contributions}/${id}`, { status: 'completed', ...(amount && { amount }) });
const open = (id: string) =>
  operate(
    service.database,
    async ({ mismatches }) =>
      (await mismatches.listOpen()).filter(({ transactionId }) => transactionId === id),
    'read',
  );

/** What the command does: the work and its record in one transaction. */
const resolve = (id: string, reason: string) =>
  operate(service.database, async ({ mismatches, actions }) => {
    const { refusals, lastRefusedAtExactly } = await mismatches.resolve(id);
    await actions.record({
      operator: 'anna',
      command: resolutionCommand,
      target: id,
      arguments: { reason },
      result: { refusals, refused_until: lastRefusedAtExactly },
    });
    return refusals;
  });

test('a refused completion is open with what was promised and what the bank says, until it is resolved', async () => {
  const id = await create();
  expect(await open(id)).toEqual([]);
  for (const amount of ['9.00', '10.00', '9.00']) await complete(id, amount).expect(409);
  expect(await open(id)).toEqual([
    expect.objectContaining({
      company: 'Acme',
      kind: 'test',
      status: 'pending',
      amount: '7.50',
      saidAmounts: ['9.00', '10.00'],
      refusals: 3,
      bank: 'Bank',
    }),
  ]);
  expect(await resolve(id, 'the bank returned 1.50')).toBe(3);
  expect(await open(id)).toEqual([]);
  const resolutions = await operate(service.database, ({ mismatches }) => mismatches.resolutions(id), 'read');
  expect(resolutions).toEqual([
    { resolvedAt: expect.any(Date), operator: 'anna', reason: 'the bank returned 1.50' },
  ]);
});

test('resolving changes neither the contribution nor its events, and the right completion is accepted afterwards', async () => {
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

test('what is refused after it was resolved is open again, with the new refusals only', async () => {
  const id = await create();
  await complete(id, '9.00').expect(409);
  await resolve(id, 'agreed');
  await complete(id, '9.50').expect(409);
  expect(await open(id)).toEqual([expect.objectContaining({ refusals: 1, saidAmounts: ['9.50'] })]);
  await expect(resolve(id, 'agreed again')).resolves.toBe(1);
});

test('without an open mismatch there is nothing to resolve', async () => {
  const id = await create();
  await expect(resolve(id, 'nothing')).rejects.toThrow('No completion of');
  await complete(id, '9.00').expect(409);
  await resolve(id, 'first');
  await expect(resolve(id, 'second')).rejects.toThrow('by anna, and nothing was refused since');
});

test('of two operators at once one resolves it, and the other is told who did', async () => {
  const id = await create();
  await complete(id, '9.00').expect(409);
  const results = await Promise.allSettled([resolve(id, 'one'), resolve(id, 'other')]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const resolutions = await operate(service.database, ({ mismatches }) => mismatches.resolutions(id), 'read');
  expect(resolutions).toHaveLength(1);
});
