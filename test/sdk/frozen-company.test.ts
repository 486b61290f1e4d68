import {
  ContributionService,
  type Intent,
  type IntentStore,
  OutcomeUnknown,
  RequestRejected,
} from '../../packages/sdk/src/index.js';
import { addProject } from '../support/catalogue';
import { operate } from '../support/operations';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';
import { errorOf, user } from './fake-service';

/** The SDK keeps every intent while the company of its pair is frozen. */
let service: TestService;
let host: TestCompany;
let partner: TestCompany;
let projectId: number;

beforeAll(async () => {
  service = await startService();
  [host, partner] = [await service.addCompany(), await service.addCompany()];
  await service.companies.linkBank('test', host.name, partner.name);
  projectId = await addProject(service.database.admin);
});
afterAll(() => service.stop());

function memoryStore(): IntentStore & { intents: Map<string, Intent> } {
  const intents = new Map<string, Intent>();
  return {
    intents,
    put: (intent) => Promise.resolve(void intents.set(intent.id, intent)),
    get: (name) => Promise.resolve(intents.get(name)),
    delete: (name) => Promise.resolve(void intents.delete(name)),
    list: () => Promise.resolve([...intents.values()]),
  };
}

function clientOf(
  { test: { apiKey = '', apiSecret = '' } }: TestCompany,
  store: IntentStore,
): ContributionService {
  return new ContributionService({
    apiKey,
    apiSecret,
    apiUrl: `http://127.0.0.1:${service.port}/company/integration`,
    expectEnvironment: 'test',
    store,
  });
}

async function change({ name, test: pair }: TestCompany, isFrozen: boolean): Promise<void> {
  await operate(service.database, ({ companiesOverview }) =>
    isFrozen ? companiesOverview.freeze(name, 'a test') : companiesOverview.unfreeze(name),
  );
  await until('the process has heard of it', async () => {
    const { status } = await pair.get('/company/integration/get/projects');
    return status === (isFrozen ? 503 : 200);
  });
}
const freeze = (company: TestCompany) => change(company, true);
const unfreeze = (company: TestCompany) => change(company, false);
const order = (key: string) => ({ body: { project_id: projectId, amount: '25.00', user_hash: user }, key });

test('every kind of request is kept, sent again by recover(), and recorded once after the freeze', async () => {
  const [ofHost, ofBank] = [memoryStore(), memoryStore()];
  const [client, bank] = [clientOf(host, ofHost), clientOf(partner, ofBank)];
  const create = ({ body, key }: ReturnType<typeof order>) =>
    client.contributions.create(body, { idempotencyKey: key });
  const [first, second] = [await create(order('one')), await create(order('two'))];
  await bank.bank.complete(first.transaction_id, { amount: '25.00' });
  const returned = await bank.bank.recordReturn(first.transaction_id, {
    ...{ kind: 'return', amount: '5.00', bank_reference: 'RT-1' },
  });
  for (const each of [host, partner]) await freeze(each);

  const moneyReturn = { kind: 'return', amount: '1.00', bank_reference: 'RT-2' } as const;
  const undo = { reason: 'paid_again', amount: '5.00', bank_reference: 'PA-1' } as const;
  const errors = [
    await errorOf(create(order('three'))),
    await errorOf(bank.bank.complete(second.transaction_id, { amount: '25.00' })),
    await errorOf(bank.bank.recordReturn(first.transaction_id, moneyReturn)),
    await errorOf(bank.bank.undoReturn(first.transaction_id, returned.return_id, undo)),
  ];
  for (const error of errors) {
    expect(error).toBeInstanceOf(OutcomeUnknown);
    expect(error.cause).toMatchObject({ code: 'company_frozen', retryable: true, retryAfterMs: 300_000 });
  }
  expect([...ofBank.intents.values()].map(({ kind }) => kind)).toEqual(['complete', 'return', 'undo']);
  for (let restarts = 0; restarts < 3; restarts += 1) {
    expect(await client.recover()).toMatchObject({ succeeded: [], rejected: [], remaining: [{}] });
    expect(await bank.recover()).toMatchObject({ succeeded: [], rejected: [], remaining: [{}, {}, {}] });
  }

  for (const each of [host, partner]) await unfreeze(each);
  const recovered = { succeeded: expect.any(Array) as unknown, rejected: [], remaining: [] };
  expect(await client.recover()).toEqual(recovered);
  expect(await bank.recover()).toEqual(recovered);
  expect([ofHost.intents.size, ofBank.intents.size]).toEqual([0, 0]);
  expect(await client.contributions.retrieve(second.transaction_id)).toMatchObject({ status: 'completed' });
  expect(await client.contributions.findByIdempotencyKey('three')).toMatchObject({ status: 'pending' });
  expect(await client.contributions.retrieve(first.transaction_id)).toMatchObject({
    returned_amount: '1.00',
  });
});

test('a read and a file of completions report the freeze at once, because it outlasts their deadline', async () => {
  const bank = clientOf(partner, memoryStore());
  await freeze(partner);
  const read = await errorOf(bank.contributions.retrieve('K7Q20CR5M3V9XHG'));
  const file = await errorOf(
    Promise.resolve(
      bank.bank.completeMany({ completions: [{ transaction_id: 'K7Q20CR5M3V9XHG', amount: '25.00' }] }),
    ),
  );
  for (const error of [read, file]) {
    expect(error).toBeInstanceOf(RequestRejected);
    expect(error).toMatchObject({ code: 'company_frozen', retryable: true });
  }
  await unfreeze(partner);
});
