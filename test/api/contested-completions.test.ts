import { createCompletions, type Completions } from '../support/completions';
import { startService, type TestCompany, type TestService } from '../support/service';
import { verificationOf } from '../support/verification';

/**
 * Conflicting reports of one contribution's money: from two parties, or from one party with
 * different data.
 */
let service: TestService;
let company: TestCompany;
let [bank, second]: TestCompany[] = [];
let contributions: Completions;

beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  [company, bank, second] = [
    await service.addCompany(),
    await service.addCompany(),
    await service.addCompany(),
  ];
  contributions = await createCompletions(service, company);
});
afterAll(() => service.stop());

const contested = (actor: TestCompany, evidence: object) => ({
  type: 'contribution.completion_contested',
  actor: actor.name,
  evidence,
});
const completedBy = (actor: TestCompany, evidence: object = {}) => ({
  type: 'contribution.completed',
  actor: actor.name,
  evidence,
});

async function linkBoth(): Promise<void> {
  await contributions.link(bank!);
  await contributions.link(second!);
}

describe('a completion by an environment other than the one that completed', () => {
  test('gets 409 each time and is recorded with its evidence, and changes nothing else', async () => {
    await linkBoth();
    const id = await contributions.create();
    await contributions.complete(bank!.test, id, { bank_reference: 'FT-1' }).expect(200);
    const before = await contributions.row(id);
    const said = { amount: '25.50', bank_reference: 'FT-2', value_date: '2026-11-20' };
    for (let count = 0; count < 2; count += 1) {
      const response = await contributions.complete(second!.test, id, said).expect(409);
      expect(response.body).toMatchObject({ code: 'completed_by_another', retryable: false });
      expect(response.get('Idempotent-Replayed')).toBeUndefined();
    }
    expect(await contributions.row(id)).toEqual(before);
    const evidence = { amount_cents: 2550, bank_reference: 'FT-2', value_date: '2026-11-20' };
    expect(await contributions.events(id)).toEqual([
      completedBy(bank!, { bank_reference: 'FT-1' }),
      contested(second!, evidence),
      contested(second!, evidence),
    ]);
    expect((await verificationOf(service.database.ownerUrl)).violationCount).toBe(0);
  });

  test('is recorded without evidence too, and the bank that completed can still repeat', async () => {
    await linkBoth();
    const id = await contributions.create();
    await contributions.complete(bank!.test, id).expect(200);
    await contributions.complete(second!.test, id).expect(409);
    const response = await contributions.complete(bank!.test, id).expect(200);
    expect(response.get('Idempotent-Replayed')).toBe('true');
    expect(await contributions.events(id)).toEqual([completedBy(bank!), contested(second!, {})]);
  });

  test('with another amount is contested, not rejected for its amount', async () => {
    await linkBoth();
    const id = await contributions.create();
    await contributions.complete(bank!.test, id).expect(200);
    const response = await contributions.complete(second!.test, id, { amount: '1.00' }).expect(409);
    expect(response.body.code).toBe('completed_by_another');
    expect(await contributions.events(id)).toEqual([
      completedBy(bank!),
      contested(second!, { amount_cents: 100 }),
    ]);
  });

  test('gets a response that does not name the other party', async () => {
    await linkBoth();
    const id = await contributions.create();
    await contributions.complete(bank!.test, id, { bank_reference: 'FT-of-the-other' }).expect(200);
    const { text } = await contributions.complete(second!.test, id).expect(409);
    expect(text).not.toContain('FT-of-the-other');
    expect(text).not.toContain(bank!.name);
  });

  test('is contested when a former bank completed after the link of the new one', async () => {
    await contributions.link(bank!);
    const id = await contributions.create();
    await contributions.unlink(bank!);
    await contributions.link(second!);
    await contributions.complete(bank!.test, id).expect(200);
    const response = await contributions.complete(second!.test, id).expect(409);
    expect(response.body.code).toBe('completed_by_another');
  });

  test('is contested by a former bank for contributions created during its link', async () => {
    await contributions.link(bank!);
    const id = await contributions.create();
    await contributions.unlink(bank!);
    await contributions.link(second!);
    await contributions.complete(second!.test, id).expect(200);
    await contributions.complete(bank!.test, id, { bank_reference: 'FT-9' }).expect(409);
    expect(await contributions.events(id)).toEqual([
      completedBy(second!),
      contested(bank!, { bank_reference: 'FT-9' }),
    ]);
  });

  test('is contested by the company too, when it no longer has a bank', async () => {
    const id = await contributions.create();
    await contributions.link(bank!);
    await contributions.complete(bank!.test, id).expect(200);
    const reserved = await contributions.complete(company.test, id).expect(403);
    expect(reserved.body.code).toBe('completion_reserved_for_bank');
    await contributions.unlink(bank!);
    await contributions.complete(company.test, id).expect(409);
    expect(await contributions.events(id)).toEqual([completedBy(bank!), contested(company, {})]);
  });

  test('is contested by a bank when the company completed while the link was being created', async () => {
    const id = await contributions.create();
    const operator = await service.database.admin.connect();
    try {
      await operator.query('BEGIN');
      await operator.query(
        `INSERT INTO bank_links (environment_id, bank_environment_id, kind)
         SELECT t.environment_id, k.environment_id, 'test' FROM transactions t, key_pairs k
          WHERE t.transaction_id = $1 AND k.api_key = $2`,
        [id, bank!.test.apiKey],
      );
      await contributions.complete(company.test, id).expect(200);
      await operator.query('COMMIT');
    } finally {
      operator.release(true);
    }
    await contributions.read(bank!.test, id).expect(200);
    await contributions.complete(bank!.test, id, { bank_reference: 'FT-3' }).expect(409);
    expect(await contributions.events(id)).toEqual([
      completedBy(company),
      contested(bank!, { bank_reference: 'FT-3' }),
    ]);
  });
});

test('when two banks complete concurrently, one succeeds and every attempt of the other is contested', async () => {
  await linkBoth();
  const id = await contributions.create();
  const responses = await Promise.all(
    Array.from({ length: 40 }, (_none, place) =>
      contributions.complete(place % 2 ? bank!.test : second!.test, id),
    ),
  );
  expect(responses.map(({ status }) => status).sort()).toEqual([
    ...Array<number>(20).fill(200),
    ...Array<number>(20).fill(409),
  ]);
  const types = (await contributions.events(id)).map(({ type }) => type);
  expect(types.filter((type) => type === 'contribution.completed')).toHaveLength(1);
  expect(types.filter((type) => type === 'contribution.completion_contested')).toHaveLength(20);
});

describe('a repeat by the same caller', () => {
  const first = { bank_reference: 'FT-1', value_date: '2026-11-20' };
  const repeated = (actor: TestCompany, evidence: object) => ({
    type: 'contribution.completion_repeated',
    actor: actor.name,
    evidence,
  });

  test.each<[string, object, object]>([
    ['another reference', { bank_reference: 'FT-2' }, { bank_reference: 'FT-2' }],
    ['another value date', { value_date: '2026-11-21' }, { value_date: '2026-11-21' }],
    [
      'its reference and another value date',
      { ...first, value_date: '2026-11-21' },
      { ...first, value_date: '2026-11-21' },
    ],
    [
      'another of both',
      { bank_reference: 'FT-2', value_date: '2026-11-21' },
      { bank_reference: 'FT-2', value_date: '2026-11-21' },
    ],
  ])('with %s gets 200, changes nothing and is recorded each time', async (_what, said, evidence) => {
    await contributions.link(bank!);
    const id = await contributions.create();
    await contributions.complete(bank!.test, id, first).expect(200);
    const before = await contributions.row(id);
    for (let count = 0; count < 2; count += 1) {
      const response = await contributions.complete(bank!.test, id, said).expect(200);
      expect(response.get('Idempotent-Replayed')).toBe('true');
    }
    expect(await contributions.row(id)).toEqual(before);
    expect(await contributions.events(id)).toEqual([
      completedBy(bank!, first),
      repeated(bank!, evidence),
      repeated(bank!, evidence),
    ]);
  });

  test('with a value date is recorded if the first completion had none', async () => {
    const id = await contributions.create();
    await contributions.complete(company.test, id).expect(200);
    await contributions.complete(company.test, id, { value_date: '2026-11-20' }).expect(200);
    expect(await contributions.events(id)).toEqual([
      completedBy(company),
      repeated(company, { value_date: '2026-11-20' }),
    ]);
    expect((await verificationOf(service.database.ownerUrl)).violationCount).toBe(0);
  });

  test.each([[{}], [first], [{ bank_reference: 'FT-1' }], [{ value_date: '2026-11-20' }]])(
    'with nothing new, such as %j, is not recorded',
    async (said) => {
      const id = await contributions.create();
      await contributions.complete(company.test, id, first).expect(200);
      await contributions.complete(company.test, id, said).expect(200);
      expect(await contributions.events(id)).toEqual([completedBy(company, first)]);
    },
  );
});
