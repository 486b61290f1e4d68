import {
  createContributionsStore,
  type ContributionsStore,
} from '../../../src/core/contributions/contributions.store';
import { systemClock } from '../../../src/shared/clock';
import type { Principal } from '../../../src/shared/scopes';
import { parseTransactionId } from '../../../src/shared/transaction-id';
import { addProject } from '../../support/catalogue';
import type { Client } from '../../support/client';
import { startService, type TestCompany, type TestService } from '../../support/service';

/**
 * Queries whose arguments belong to different environments. No request sends them, but the
 * queries alone protect the money, so they check the arguments.
 */
let service: TestService;
let store: ContributionsStore;
let company: TestCompany;
let stranger: TestCompany;
let projectId: number;

const noEvidence = { amountCents: undefined, bankReference: undefined, valueDate: undefined };

async function principalOf({ apiKey }: Client): Promise<Principal> {
  const { rows } = await service.database.admin.query<Principal>(
    `SELECT k.api_key AS "apiKey", k.environment_id AS "environmentId", e.kind AS "environmentKind",
            e.transaction_tag AS "transactionTag", k.scopes
       FROM key_pairs k JOIN environments e USING (environment_id) WHERE k.api_key = $1`,
    [apiKey],
  );
  return rows[0]!;
}

async function createPending() {
  const principal = await principalOf(company.test);
  const outcome = await store.create(principal, {
    projectId,
    amountCents: 2_550n,
    userHash: 'a-user',
    name: undefined,
    idempotencyKey: undefined,
  });
  if (outcome.kind !== 'created') throw new Error(outcome.kind);
  return { principal, id: parseTransactionId(outcome.transactionId)! };
}

async function statusOf(transactionId: string): Promise<string | undefined> {
  const { rows } = await service.database.admin.query<{ status: string }>(
    'SELECT status FROM transactions WHERE transaction_id = $1',
    [transactionId],
  );
  return rows[0]?.status;
}

beforeAll(async () => {
  service = await startService();
  store = createContributionsStore(service.container.database, systemClock);
  company = await service.addCompany();
  stranger = await service.addCompany();
  projectId = await addProject(service.database.admin);
});
afterAll(() => service.stop());

test('a key of another environment completes nothing', async () => {
  const { principal, id } = await createPending();
  const { apiKey } = await principalOf(stranger.test);
  expect(await store.complete({ ...principal, apiKey }, id, noEvidence)).toBe('caller_not_live');
  expect(await statusOf(id.transactionId)).toBe('pending');
});

test('a key that has expired since its last check completes nothing', async () => {
  const { principal, id } = await createPending();
  const expire = (at: string) =>
    service.database.admin.query(`UPDATE key_pairs SET expires_at = ${at} WHERE api_key = $1`, [
      principal.apiKey,
    ]);
  try {
    await expire(`created_at + interval '1 microsecond'`);
    expect(await store.complete(principal, id, noEvidence)).toBe('caller_not_live');
    expect(await statusOf(id.transactionId)).toBe('pending');
    await expire(`now() + interval '1 hour'`);
    expect(await store.complete(principal, id, noEvidence)).toBe('completed');
  } finally {
    await expire('NULL');
  }
});

test("an id with another environment's tag is neither found nor completed", async () => {
  const { principal, id } = await createPending();
  const { transactionTag } = await principalOf(stranger.test);
  const mismatched = { ...id, tag: transactionTag };
  expect(await store.find(principal, mismatched)).toBeUndefined();
  expect(await store.complete(principal, mismatched, noEvidence)).toBe('unknown');
  expect(await statusOf(id.transactionId)).toBe('pending');
});

test('a key and an id of the same environment complete', async () => {
  const { principal, id } = await createPending();
  expect(await store.find(principal, id)).toMatchObject({ status: 'pending' });
  expect(await store.complete(principal, id, noEvidence)).toBe('completed');
});
