import { createCompletions, type Completions } from '../support/completions';
import { environmentOf } from '../support/environment';
import { readFeed, relayAll } from '../support/feed';
import { compareAll } from '../support/compare-all';
import { operate } from '../support/operations';
import { sendReturn } from '../support/returns';
import { completeSlowly } from '../support/slow-completion';
import { startService, type TestCompany, type TestService } from '../support/service';
import { statementFile, uploadAndWait } from '../support/statement-files';
import { readEntries } from '../support/statement-setup';
import { countAll, readTotals, recentDays } from '../support/totals';
import { until } from '../support/until';
import { verificationOf } from '../support/verification';

/** A link that an operator voids counts as if it had never been made. */
let service: TestService;
let company: TestCompany;
let [bank, otherBank]: TestCompany[] = [];
let contributions: Completions;

beforeAll(async () => {
  service = await startService({ pollMs: 100 });
});
beforeEach(async () => {
  [company, bank, otherBank] = [
    await service.addCompany(),
    await service.addCompany(),
    await service.addCompany(),
  ];
  contributions = await createCompletions(service, company);
});
afterAll(async () => {
  await countAll(service.database.admin);
  const report = await verificationOf(service.database.operatorUrl);
  expect(report.checks.flatMap(({ violations }) => violations)).toEqual([]);
  await service.stop();
});

const named = (of = bank!) => ({ kind: 'test' as const, company: company.name, bank: of.name });
const voidLink = (linkedAt?: Date, of = bank!) =>
  operate(service.database, ({ bankLinks }) => bankLinks.void(named(of), linkedAt));
const code = async (request: PromiseLike<{ status: number; body: unknown }>) => {
  const { status, body } = await request;
  return [status, (body as { code?: string }).code];
};
const notFound = [404, 'transaction_not_found'];
const linksOf = ({ name }: TestCompany) =>
  operate(service.database, async ({ companies, bankLinks }) =>
    bankLinks.ofCompany((await companies.find(name)).companyId),
  );
const links = async (of: TestCompany) =>
  (await of.test.get('/company/integration/links').expect(200)).body as { data: unknown[] };

/** Every kind of total of the bank equals what its list has. */
async function expectTotalsOfList(): Promise<void> {
  await countAll(service.database.admin);
  const count = (await contributions.listed(bank!.test, 'limit=1000')).length;
  for (const by of ['day', 'project', 'company', 'status']) {
    const { total } = await readTotals(bank!.test, `${recentDays()}&by=${by}`);
    expect([by, total.contributions]).toEqual([by, count]);
  }
}

test('the bank keeps what it completed, and for the rest the link was never made', async () => {
  const [ownBefore, takenBefore, pendingBefore] = [
    await contributions.createCompleted(),
    await contributions.create(),
    await contributions.create(),
  ];
  await contributions.link(bank!);
  const [completed, returned, pending] = [
    await contributions.create(),
    await contributions.create(),
    await contributions.create(),
  ];
  for (const id of [takenBefore, completed, returned])
    await contributions.complete(bank!.test, id, { bank_reference: `FT-${id}` }).expect(200);
  const money = { amount: '1.00', bank_reference: 'RT-1' };
  await sendReturn(bank!.test, returned, money).expect(201);
  await contributions.unlink(bank!);
  const later = await contributions.create();
  await contributions.link(bank!);
  // The first link was meant, and stays. This one was not.
  const during = await contributions.create();
  await countAll(service.database.admin);
  const { link } = await voidLink();
  expect(link.voidedAt).not.toBeNull();

  for (const id of [takenBefore, completed, returned]) await contributions.read(bank!.test, id).expect(200);
  expect((await contributions.listed(bank!.test)).sort()).toEqual(
    [takenBefore, completed, returned, pending].sort(),
  );
  for (const id of [ownBefore, pendingBefore, later, during]) {
    expect(await code(contributions.read(bank!.test, id))).toEqual(notFound);
    expect(await code(contributions.complete(bank!.test, id))).toEqual(notFound);
  }
  await expectTotalsOfList();
  expect((await links(bank!)).data).toEqual([]);
  for (const id of [pendingBefore, later, during]) await contributions.complete(company.test, id).expect(200);
  expect(await code(contributions.complete(company.test, pending))).toEqual([
    403,
    'completion_reserved_for_bank',
  ]);
  await contributions.complete(bank!.test, pending).expect(200);

  // Now the first link was a mistake too.
  await voidLink((await linksOf(company))[0]!.linkedAt);
  expect((await contributions.listed(bank!.test)).sort()).toEqual(
    [takenBefore, completed, returned, pending].sort(),
  );
  await expectTotalsOfList();
  const repeat = await contributions.complete(bank!.test, completed).expect(200);
  expect(repeat.headers['idempotent-replayed']).toBe('true');
  await sendReturn(bank!.test, returned, money).expect(201);
  expect(await code(sendReturn(bank!.test, returned, { ...money, bank_reference: 'RT-2' }))).toEqual([
    403,
    'return_reserved',
  ]);
});

describe('the feeds', () => {
  const typesOf = async ({ test: client }: TestCompany) =>
    (await readFeed(client)).data.map(({ sequence, type, data }) => [sequence, type, data.transaction_id]);

  test('keep the events that the bank has, without gaps, and end with one that names the mistake', async () => {
    await contributions.link(bank!);
    const [relayed, completed] = [await contributions.create(), await contributions.create()];
    await contributions.complete(bank!.test, completed).expect(200);
    await relayAll(service.database.admin);
    const queued = await contributions.create();
    await voidLink();
    await contributions.complete(company.test, relayed).expect(200);
    await contributions.complete(company.test, queued).expect(200);
    expect(await code(contributions.complete(company.test, completed))).toEqual([
      409,
      'completed_by_another',
    ]);
    await relayAll(service.database.admin);
    expect(await typesOf(bank!)).toEqual([
      [1, 'bank_link.started', undefined],
      [2, 'contribution.created', relayed],
      [3, 'contribution.created', completed],
      [4, 'contribution.completed', completed],
      [5, 'bank_link.ended', undefined],
      // The bank completed it, so it learns what happens to it.
      [6, 'contribution.completion_contested', completed],
    ]);
    const { data } = await readFeed(bank!.test);
    expect(data[0]!.data['mistake']).toBe(false);
    expect(data[4]!.data['mistake']).toBe(true);
  });

  test('have a second event if the link had ended before, with the same times', async () => {
    await contributions.link(bank!);
    await contributions.unlink(bank!);
    await voidLink();
    await relayAll(service.database.admin);
    const [, ended, voided, ...rest] = (await readFeed(bank!.test)).data;
    expect([ended!.type, voided!.type, rest]).toEqual(['bank_link.ended', 'bank_link.ended', []]);
    expect(ended!.data['mistake']).toBe(false);
    expect(voided!.data).toEqual({ ...ended!.data, mistake: true });
  });
});

test('the other banks of the company keep their rights', async () => {
  await contributions.link(otherBank!);
  await contributions.link(bank!);
  const id = await contributions.create();
  await voidLink();
  expect(await code(contributions.complete(bank!.test, id))).toEqual(notFound);
  expect(await code(contributions.complete(company.test, id))).toEqual([403, 'completion_reserved_for_bank']);
  await contributions.complete(otherBank!.test, id).expect(200);
});

test('a file of completions does not find the contributions of the link', async () => {
  await contributions.link(bank!);
  const [kept, pending] = [await contributions.create(), await contributions.create()];
  await contributions.complete(bank!.test, kept).expect(200);
  await voidLink();
  const response = await bank!.test
    .post('/company/integration/contributions/completions')
    .set('Content-Type', 'application/x-ndjson')
    .send([kept, pending].map((id) => JSON.stringify({ transaction_id: id, amount: '25.50' })).join('\n'))
    .expect(200);
  const lines = response.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { outcome?: string; code?: string | null });
  expect(lines.slice(0, 2).map(({ outcome, code: reason }) => [outcome, reason])).toEqual([
    ['replayed', null],
    ['refused', 'transaction_not_found'],
  ]);
  await contributions.complete(company.test, pending).expect(200);
});

test('the company may then be linked to the same bank again', async () => {
  await contributions.link(bank!);
  const id = await contributions.create();
  await voidLink();
  expect(await contributions.link(bank!)).toBe(true);
  expect(await contributions.listed(bank!.test)).toEqual([id]);
  await contributions.complete(bank!.test, id).expect(200);
  expect(
    (await linksOf(bank!)).map(({ role, company: name, unlinkedAt, voidedAt }) => [
      role,
      name,
      unlinkedAt !== null,
      voidedAt !== null,
    ]),
  ).toEqual([
    ['company', company.name, true, true],
    ['company', company.name, false, false],
  ]);
});

test('entries of its statements about other contributions are not found at the next comparison', async () => {
  await contributions.link(bank!);
  const [kept, other, decided] = [
    await contributions.create(),
    await contributions.create(),
    await contributions.create(),
  ];
  await contributions.complete(bank!.test, kept, { bank_reference: 'R-0' }).expect(200);
  const lines = [kept, other, undefined].map((id, at) => ({
    ...{ cents: 25_50n, reference: `R-${at}` },
    ...(id === undefined ? {} : { id }),
  }));
  const { file_id: fileId } = await uploadAndWait(bank!.test, statementFile(lines, { from: '2026-11-20' }));
  const unknown = (await readEntries(bank!.test, fileId)).find(({ outcome }) => outcome === 'unknown')!;
  await bank!.test
    .post(`/company/integration/statements/entries/${unknown.entry_id}/decisions`, {
      action: 'link',
      reason: 'the donor told us',
      allocations: [{ transaction_id: decided, amount: '25.50' }],
    })
    .expect(200);
  await compareAll(service);
  const positions = async () => {
    const { body } = await bank!.test.get('/company/integration/reconciliation?limit=1000').expect(200);
    return (body as { data: { transaction_id: string }[] }).data.map(({ transaction_id: id }) => id).sort();
  };
  expect(await positions()).toEqual([kept, other, decided].sort());

  await voidLink();
  await compareAll(service);
  const entries = await readEntries(bank!.test, fileId);
  expect(
    entries
      .map(({ outcome, allocations }) => [outcome, ...allocations.map((one) => one.transaction_id)])
      .sort(),
  ).toEqual([['matched', kept], ['unknown'], ['unknown']]);
  expect(entries.map(({ reason }) => reason)).toContain('not_found');
  expect(await positions()).toEqual([kept]);
  const money = (id: string) => bank!.test.get(`/company/integration/contributions/${id}/money`);
  for (const id of [other, decided]) expect(await code(money(id))).toEqual(notFound);
  expect((await money(kept).expect(200)).body).toMatchObject({ position: 'matched' });
});

test('the sandbox of the company has no linked bank any more', async () => {
  const settings = '/company/integration/sandbox/settings';
  await contributions.link(bank!);
  expect((await company.test.get(settings).expect(200)).body).toMatchObject({ bank: 'linked' });
  await voidLink();
  expect((await company.test.get(settings).expect(200)).body).toMatchObject({ bank: 'none' });
});

describe('which link is voided', () => {
  test('is the active one, and a repeat changes nothing', async () => {
    await contributions.link(bank!);
    await contributions.unlink(bank!);
    await contributions.link(bank!);
    expect((await voidLink()).isChanged).toBe(true);
    // Neither of the two is active, so the command does not choose.
    await expect(voidLink()).rejects.toThrow(/Say which link[^]*ended[^]*voided/);
    const [first, second] = await linksOf(company);
    expect([first!.voidedAt, second!.voidedAt]).toEqual([null, expect.any(Date)]);
    expect((await voidLink(second!.linkedAt)).isChanged).toBe(false);
    expect((await voidLink(first!.linkedAt)).isChanged).toBe(true);
  });

  test('is the one whose exact start is given, although another one begins in the same second', async () => {
    for (const change of ['link', 'unlink', 'link'] as const) await contributions[change](bank!);
    await service.database.admin.query(
      `UPDATE bank_links first
          SET linked_at = date_trunc('second', first.linked_at), unlinked_at = date_trunc('second', first.linked_at)
        WHERE environment_id = $1 AND unlinked_at IS NOT NULL`,
      [await environmentOf(service.database.admin, company.name)],
    );
    await service.database.admin.query(
      `UPDATE bank_links second SET linked_at = first.linked_at + interval '0.269 seconds'
         FROM bank_links first
        WHERE second.environment_id = $1 AND second.unlinked_at IS NULL
          AND first.environment_id = $1 AND first.unlinked_at IS NOT NULL`,
      [await environmentOf(service.database.admin, company.name)],
    );
    const [first, second] = await linksOf(company);
    expect([first!.linkedAt.getMilliseconds(), second!.linkedAt.getMilliseconds()]).toEqual([0, 269]);
    expect((await voidLink(first!.linkedAt)).link.linkedAt).toEqual(first!.linkedAt);
    expect((await voidLink(second!.linkedAt)).link.linkedAt).toEqual(second!.linkedAt);
  });

  test('is the only one, and none is an error', async () => {
    await expect(voidLink()).rejects.toThrow('is not linked to');
    await contributions.link(bank!);
    await contributions.unlink(bank!);
    expect((await voidLink()).isChanged).toBe(true);
    expect((await voidLink()).isChanged).toBe(false);
    await expect(voidLink(new Date('2026-01-01'))).rejects.toThrow('Say which link');
  });
});

test.each(['ended', 'voided'] as const)(
  'a link is %s after the completions that began before',
  async (how) => {
    await contributions.link(bank!);
    const id = await contributions.create();
    const { response, release } = await completeSlowly(service, id, () =>
      contributions.complete(bank!.test, id),
    );
    const unlink = () =>
      operate(service.database, ({ companies }) => companies.unlinkBank('test', company.name, bank!.name));
    let hasEnded = false;
    const ending = (how === 'voided' ? voidLink() : unlink()).then(() => (hasEnded = true));
    await until('the command waits for the completion', async () => {
      const { rows } = await service.database.admin.query(
        `SELECT FROM pg_stat_activity
          WHERE datname = current_database() AND query LIKE '%wait_for_contribution_writers()%' AND wait_event = 'PgSleep'`,
      );
      return rows.length > 0;
    });
    expect(hasEnded).toBe(false);
    await release();
    expect(await response).toBe(200);
    await ending;
    const { rows } = await service.database.admin.query(
      `SELECT t.completed_at <= l.unlinked_at AS is_before
         FROM transactions t JOIN bank_links l USING (environment_id) WHERE t.transaction_id = $1`,
      [id],
    );
    expect(rows).toEqual([{ is_before: true }]);
  },
);
