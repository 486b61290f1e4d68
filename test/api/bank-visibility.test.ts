import { generateTransactionId } from '../../src/shared/transaction-id';
import { createCompletions, type Completions } from '../support/completions';
import { startService, type TestCompany, type TestService } from '../support/service';
import type { Client } from '../support/client';
import { longTest } from '../support/full-run';
import { completeSlowly, untilCompletionWaits } from '../support/slow-completion';

/** Which contributions of a company its banks see, depending on links and completions. */
let service: TestService;
let company: TestCompany;
let [bank, formerBank]: TestCompany[] = [];
let contributions: Completions;

beforeAll(async () => {
  // A completion may wait longer for a lock than a link waits for the completion.
  service = await startService({
    settings: {
      DATABASE_LOCK_TIMEOUT_MS: '10000',
      DATABASE_STATEMENT_TIMEOUT_MS: '11000',
      DATABASE_ANSWER_TIMEOUT_MS: '12000',
    },
  });
});
beforeEach(async () => {
  [company, bank, formerBank] = [
    await service.addCompany(),
    await service.addCompany(),
    await service.addCompany(),
  ];
  contributions = await createCompletions(service, company);
});
afterAll(() => service.stop());

const lists = [
  '',
  'status=completed',
  'completed_from=2020-01-01T00:00:00Z',
  'created_from=2020-01-01T00:00:00Z',
];

/** Whether every way to request a completed contribution finds it. */
async function expectSeen(client: Client, id: string): Promise<void> {
  await contributions.read(client, id).expect(200);
  for (const query of lists) expect(await contributions.listed(client, query)).toContain(id);
}

/**
 * An invisible contribution gets the same response as an id that was never issued, except for the
 * request id.
 */
async function expectUnseen(client: Client, id: string): Promise<void> {
  const withoutRequestId = ({ body, status }: { body: Record<string, unknown>; status: number }) => [
    status,
    { ...body, request_id: undefined },
  ];
  const never = generateTransactionId(id.slice(0, 4), new Date());
  const before = await contributions.row(id);
  const eventsBefore = await contributions.events(id);
  const asks = [
    (ofId: string) => contributions.read(client, ofId),
    (ofId: string) => contributions.complete(client, ofId),
  ];
  for (const ask of asks) {
    const response = await ask(id).expect(404);
    expect(withoutRequestId(response)).toEqual(withoutRequestId(await ask(never).expect(404)));
  }
  for (const query of lists) expect(await contributions.listed(client, query)).not.toContain(id);
  expect(await contributions.row(id)).toEqual(before);
  expect(await contributions.events(id)).toEqual(eventsBefore);
}

describe('a bank with an active link', () => {
  test('does not see contributions that the company completed before the link', async () => {
    const id = await contributions.create();
    await contributions.complete(company.test, id, { bank_reference: 'FT-own' }).expect(200);
    await contributions.link(bank!);
    await expectUnseen(bank!.test, id);
    await expectSeen(company.test, id);
  });

  test('does not see contributions that a former bank completed before the link, whenever created', async () => {
    const before = await contributions.create();
    await contributions.link(formerBank!);
    const during = await contributions.create();
    for (const id of [before, during])
      await contributions.complete(formerBank!.test, id, { bank_reference: 'FT-former' }).expect(200);
    await contributions.unlink(formerBank!);
    await contributions.link(bank!);
    for (const id of [before, during]) {
      await expectUnseen(bank!.test, id);
      await expectSeen(formerBank!.test, id);
      await expectSeen(company.test, id);
    }
  });

  test('sees contributions that were pending at the start of its link, even if a former bank completes them later', async () => {
    await contributions.link(formerBank!);
    const id = await contributions.create();
    await contributions.unlink(formerBank!);
    await contributions.link(bank!);
    expect(await contributions.listed(bank!.test, 'status=pending')).toEqual([id]);
    await contributions.complete(formerBank!.test, id).expect(200);
    await expectSeen(bank!.test, id);
  });

  test('sees the completions of another linked bank at any time', async () => {
    const before = await contributions.create();
    await contributions.link(formerBank!);
    await contributions.link(bank!);
    const during = await contributions.create();
    for (const id of [before, during]) {
      await contributions.complete(formerBank!.test, id).expect(200);
      await expectSeen(bank!.test, id);
    }
  });

  test('sees again its completions from an earlier link, and not those made between the links', async () => {
    const [first, between] = [await contributions.create(), await contributions.create()];
    await contributions.link(bank!);
    await contributions.complete(bank!.test, first).expect(200);
    await contributions.unlink(bank!);
    await contributions.complete(company.test, between).expect(200);
    await contributions.link(bank!);
    await expectSeen(bank!.test, first);
    await expectUnseen(bank!.test, between);
  });

  test('sees contributions created during an earlier link, and completed by anybody between the links', async () => {
    await contributions.link(bank!);
    await contributions.link(formerBank!);
    const id = await contributions.create();
    await contributions.unlink(bank!);
    await contributions.complete(formerBank!.test, id).expect(200);
    await contributions.link(bank!);
    await expectSeen(bank!.test, id);
  });

  test('sees none of them in the other environment', async () => {
    const id = await contributions.create();
    await contributions.link(bank!);
    await contributions.complete(bank!.test, id).expect(200);
    await expectUnseen(bank!.production, id);
  });
});

describe('a bank whose link has ended', () => {
  test('sees contributions created during its link, even if others complete them', async () => {
    await contributions.link(bank!);
    const id = await contributions.create();
    await contributions.unlink(bank!);
    await contributions.link(formerBank!);
    await contributions.complete(formerBank!.test, id).expect(200);
    await expectSeen(bank!.test, id);
  });

  test('does not see contributions created before its link that another bank completed during it', async () => {
    const id = await contributions.create();
    await contributions.link(bank!);
    await contributions.link(formerBank!);
    await contributions.complete(formerBank!.test, id).expect(200);
    await expectSeen(bank!.test, id);
    await contributions.unlink(bank!);
    await expectUnseen(bank!.test, id);
  });
});

test('sees a completion from the exact time at which its link began', async () => {
  const id = await contributions.create();
  await contributions.complete(company.test, id).expect(200);
  await contributions.link(bank!);
  await service.database.admin.query(
    `UPDATE bank_links SET linked_at = (SELECT completed_at FROM transactions WHERE transaction_id = $1)
      WHERE bank_environment_id = (SELECT environment_id FROM key_pairs WHERE api_key = $2)`,
    [id, bank!.test.apiKey],
  );
  await expectSeen(bank!.test, id);
});

describe('a completion that is in progress when the link is created', () => {
  const completingSlowly = (id: string) =>
    completeSlowly(service, id, () => contributions.complete(company.test, id));

  test("ends before the link exists, so that the bank's list stays consistent", async () => {
    const [id, pending] = [await contributions.create(), await contributions.create()];
    const { response, release } = await completingSlowly(id);
    let isLinked = false;
    const linking = contributions.link(bank!).then(() => (isLinked = true));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(isLinked).toBe(false);
    expect(await contributions.listed(bank!.test)).toEqual([]);
    // Completions that start later do not wait for the link.
    await contributions.create();
    await release();
    expect(await response).toBe(200);
    await linking;
    const listed = await contributions.listed(bank!.test);
    expect(listed).toContain(pending);
    expect(listed).not.toContain(id);
    await expectUnseen(bank!.test, id);
  });

  test('delays the link even before it has read the links and the clock', async () => {
    const id = await contributions.create();
    const { admin } = service.database;
    const holder = await admin.connect();
    await holder.query('BEGIN; LOCK TABLE bank_links IN ACCESS EXCLUSIVE MODE');
    const response = contributions.complete(company.test, id).then(({ status }) => status);
    await untilCompletionWaits(service);
    let hasWaited = false;
    const waiting = admin.query('SELECT wait_for_contribution_writers()').then(() => (hasWaited = true));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(hasWaited).toBe(false);
    await holder.query('ROLLBACK');
    holder.release();
    expect(await response).toBe(200);
    await waiting;
  });

  longTest(
    'makes the link command fail if it does not end within five seconds, and creates no link',
    async () => {
      const id = await contributions.create();
      const { response, release } = await completingSlowly(id);
      await expect(contributions.link(bank!)).rejects.toThrow();
      await release();
      expect(await response).toBe(200);
      await expectUnseen(bank!.test, id);
      expect(await contributions.link(bank!)).toBe(true);
    },
  );
});
