import type { Response } from 'supertest';

import { createClient } from '../support/client';
import { createCompletions } from '../support/completions';
import { sample } from '../support/full-run';
import { matchAll } from '../support/matching';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy';
import { startService, type TestService } from '../support/service';
import { type Line, statementFile, statementsPath, uploadAndMatch } from '../support/statement-files';
import { type Entry, type Money, readEntries, readMoney, setUpStatements } from '../support/statement-setup';
import { until } from '../support/until';

/** Decisions about entries. Contributions are 25.50 dollars. */
const setup = setUpStatements();

const amount = 25_50n;
/** Uploads a statement with these lines, and returns its entries by amount. */
async function entriesOf(
  lines: readonly Line[],
  client = setup.company.test,
  form: object = { from: '2026-11-20' },
) {
  const { file_id: fileId } = await uploadAndMatch(client, statementFile(lines, form));
  const entries = await readEntries(client, fileId);
  return entries.sort((one, other) => Number(one.amount) - Number(other.amount));
}
const decide = (entryId: string | undefined, decision: object, client = setup.company.test) =>
  client.post(`${statementsPath}/entries/${entryId ?? ''}/decisions`, {
    reason: 'the donor told us',
    ...decision,
  });
const entryAfter = async (entryId: string | undefined, decision: object): Promise<Entry> => {
  const response: Response = await decide(entryId, decision).expect(200);
  return (response.body as { entry: Entry }).entry;
};
const money = (id: string): Promise<Money> => readMoney(setup.company.test, id);
const part = (id: string, of = '25.50') => ({ transaction_id: id, amount: of });

test('after `ignore` on a return, a payment that the bank booked again counts', async () => {
  const id = await setup.contributions.createCompleted();
  const booked = { cents: amount, id, reference: 'A-0001', date: '2026-11-19' };
  await entriesOf([booked], setup.company.test, { from: '2026-11-19' });
  const again = [{ ...booked, direction: 'debit' as const, returnCode: 'AC04' }, booked];
  const entries = await entriesOf(again, setup.company.test, {
    from: '2026-11-20',
    openingCents: 1_000_000_00n + amount,
  });
  expect(await money(id)).toMatchObject({ position: 'returned', net_amount: '0.00' });
  const returned = entries.find(({ direction }) => direction === 'debit');
  await entryAfter(returned?.entry_id, { action: 'ignore' });
  expect(await money(id)).toMatchObject({ position: 'matched', net_amount: '25.50' });
});

test('after link, unlink and link, the last decision counts and all are listed', async () => {
  const [one, other] = [await setup.contributions.create(), await setup.contributions.create()];
  const [entry] = await entriesOf([{ cents: amount, text: 'rent', reference: 'R-1' }]);
  const linked = await entryAfter(entry?.entry_id, { action: 'link', allocations: [part(one)] });
  expect(linked).toMatchObject({
    outcome: 'matched',
    allocations: [{ transaction_id: one, confidence: 'decision', state: 'confirmed' }],
  });
  expect((await money(one)).position).toBe('money_without_completion');
  const unlinked = await entryAfter(entry?.entry_id, { action: 'unlink' });
  expect(unlinked).toMatchObject({ outcome: 'unknown', reason: 'unlinked', allocations: [] });
  expect((await money(one)).position).toBe('waiting');
  await entryAfter(entry?.entry_id, { action: 'link', allocations: [part(other)] });
  expect([(await money(one)).position, (await money(other)).position]).toEqual([
    'waiting',
    'money_without_completion',
  ]);
  // A repeat, as after a lost response, appends nothing.
  await entryAfter(entry?.entry_id, { action: 'link', allocations: [part(other)] });
  const list: Response = await setup.company.test.get(
    `${statementsPath}/entries/${entry!.entry_id}/decisions`,
  );
  expect((list.body as { data: { action: string }[] }).data.map(({ action }) => action)).toEqual([
    'link',
    'unlink',
    'link',
  ]);
});

test('money that arrives after a decision reopens the contribution', async () => {
  const id = await setup.contributions.create();
  await setup.contributions.complete(setup.company.test, id).expect(200);
  const [short] = await entriesOf([{ cents: 20_00n, id, reference: 'REF-1' }]);
  await entryAfter(short?.entry_id, { action: 'accept_difference' });
  expect(await money(id)).toMatchObject({ position: 'short', is_open: false, is_decided: true });
  const [second] = await entriesOf([{ cents: amount, id, reference: 'REF-2' }], setup.company.test, {
    from: '2026-11-21',
  });
  expect(await money(id)).toMatchObject({ position: 'over', is_open: true, is_decided: false });
  await entryAfter(second?.entry_id, { action: 'accept_difference' });
  expect(await money(id)).toMatchObject({ position: 'over', is_open: false, is_decided: true });
  // The other file contains the same entries, so nothing changes.
  await entriesOf([{ cents: amount, id, reference: 'REF-2', text: 'again' }], setup.company.test, {
    from: '2026-11-21',
  });
  expect(await money(id)).toMatchObject({ position: 'over', is_open: false });
});

test('confirmation of money that was unconfirmed at the decision reopens the contribution', async () => {
  const id = await setup.contributions.create();
  await setup.contributions.complete(setup.company.test, id).expect(200);
  const [short] = await entriesOf([{ cents: 24_00n, id, reference: 'REF-1' }]);
  const later = { from: '2026-11-21' };
  const lines = [{ cents: amount, id, reference: 'REF-2' }];
  // The totals are wrong, so the entry is proposed.
  const wrong = await entriesOf(lines, setup.company.test, { ...later, closingCents: 1n });
  expect(wrong).toMatchObject([{ outcome: 'proposed' }]);
  const [unknown] = await entriesOf(
    [{ cents: 1_00n, text: 'rent', reference: 'REF-3' }],
    setup.company.test,
    {
      from: '2026-11-22',
    },
  );
  await entryAfter(short?.entry_id, { action: 'accept_difference' });
  expect(await money(id)).toMatchObject({ position: 'short', is_open: false });
  await entriesOf(lines, setup.company.test, later);
  expect(await money(id)).toMatchObject({ position: 'over', is_open: true, is_decided: false });
  await entryAfter(short?.entry_id, { action: 'accept_difference', reason: 'again' });
  expect(await money(id)).toMatchObject({ is_open: false });
  await entryAfter(unknown?.entry_id, { action: 'link', allocations: [part(id, '1.00')] });
  expect(await money(id)).toMatchObject({ is_open: true });
  // The sums are those of the decision again.
  await entryAfter(unknown?.entry_id, { action: 'unlink' });
  expect(await money(id)).toMatchObject({ is_open: false });
});

test('a return that is recorded after a decision reopens the contribution', async () => {
  const id = await setup.contributions.create();
  await setup.contributions.complete(setup.company.test, id).expect(200);
  const [over] = await entriesOf([{ cents: 30_00n, id, reference: 'REF-1' }]);
  await entryAfter(over?.entry_id, { action: 'accept_difference' });
  expect(await money(id)).toMatchObject({ position: 'over', is_open: false });
  const returned = { kind: 'refund', code: 'R10', amount: '20.00', bank_reference: 'RET-1' };
  await setup.company.test.post(`/company/integration/contributions/${id}/returns`, returned).expect(201);
  expect(await money(id)).toMatchObject({ position: 'short', is_open: true, is_decided: false });
  await entryAfter(over?.entry_id, { action: 'accept_difference', reason: 'with the return' });
  expect(await money(id)).toMatchObject({ position: 'short', is_open: false });
});

test('a second payment of a contribution that was completed by a decision is open', async () => {
  const id = await setup.contributions.create();
  const [first] = await entriesOf([{ cents: amount, id, reference: 'REF-1' }]);
  await entryAfter(first?.entry_id, { action: 'complete' });
  expect(await money(id)).toMatchObject({ position: 'matched', is_open: false });
  await entriesOf([{ cents: amount, id, reference: 'REF-2' }], setup.company.test, { from: '2026-11-21' });
  expect(await money(id)).toMatchObject({ position: 'duplicate', is_open: true });
});

test('complete does not accept that a contribution was paid twice', async () => {
  const id = await setup.contributions.create();
  const [first] = await entriesOf([
    { cents: amount, id, reference: 'REF-1' },
    { cents: amount, id, reference: 'REF-2' },
  ]);
  await entryAfter(first?.entry_id, { action: 'complete' });
  expect(await setup.contributions.row(id)).toMatchObject({ status: 'completed' });
  expect(await money(id)).toMatchObject({ position: 'duplicate', is_open: true, is_decided: false });
  await entryAfter(first?.entry_id, { action: 'accept_difference' });
  expect(await money(id)).toMatchObject({ position: 'duplicate', is_open: false, is_decided: true });
});

test('split gives parts of an entry to several contributions', async () => {
  const ids = [await setup.contributions.create(), await setup.contributions.create()];
  const [entry] = await entriesOf([{ cents: 2n * amount - 50n, text: 'both', reference: 'R-1' }]);
  await entryAfter(entry?.entry_id, {
    action: 'split',
    allocations: [part(ids[0]!), part(ids[1]!, '25.00')],
  });
  expect((await money(ids[1]!)).position).toBe('short');
  const short = await entryAfter(entry?.entry_id, { action: 'accept_difference' });
  expect(short).toMatchObject({ is_decided: true, outcome: 'matched' });
  expect(await money(ids[1]!)).toMatchObject({ position: 'short', is_open: false, is_decided: true });
  // A later decision about the allocations reopens it.
  await entryAfter(entry?.entry_id, {
    action: 'split',
    allocations: [part(ids[0]!, '25.00'), part(ids[1]!)],
  });
  expect(await money(ids[0]!)).toMatchObject({ position: 'short', is_open: true });
});

test('ignore closes an entry, even one that cannot be read', async () => {
  const [strange, euro] = await entriesOf([
    { cents: 1_00n, text: 'rent', reference: 'R-1' },
    { cents: 2_00n, text: 'rent', reference: 'R-2', currency: 'EUR' },
  ]);
  for (const entry of [strange, euro]) {
    expect(await entryAfter(entry?.entry_id, { action: 'ignore' })).toMatchObject({
      outcome: 'ignored',
      is_decided: true,
    });
  }
});

test('a possible repeat counts after a decision confirms it', async () => {
  const id = await setup.contributions.create();
  const equal = { cents: amount, id };
  await entriesOf([equal], setup.company.test, {});
  const entries = await entriesOf([equal, { cents: 1n }], setup.company.test, {});
  const repeat = entries.find(({ reason }) => reason === 'possible_repeat');
  expect(repeat).toBeDefined();
  await entryAfter(repeat?.entry_id, { action: 'link', allocations: [part(id)] });
  expect((await money(id)).position).toBe('duplicate');
});

describe('complete', () => {
  test('runs the real completion, with the reference and the date of the entry', async () => {
    const id = await setup.contributions.create();
    const [entry] = await entriesOf([{ cents: amount, id, reference: 'AX-77' }]);
    await entryAfter(entry?.entry_id, { action: 'complete' });
    expect(await setup.contributions.row(id)).toMatchObject({
      status: 'completed',
      bank_reference: 'AX-77',
      value_date: '2026-11-20',
    });
    // No difference exists, so the decision accepts none.
    expect(await money(id)).toMatchObject({ position: 'matched', is_open: false, is_decided: false });
    // The decision is idempotent, like a completion.
    await entryAfter(entry?.entry_id, { action: 'complete' });
  });

  test('needs the right and the scope to complete, and the amount of the contribution', async () => {
    const id = await setup.contributions.create();
    const [short, entry] = await entriesOf([
      { cents: 1_00n, id: await setup.contributions.create(), reference: 'AX-1' },
      { cents: amount, id, reference: 'AX-2' },
    ]);
    expect((await decide(short?.entry_id, { action: 'complete' }).expect(409)).body).toMatchObject({
      code: 'amount_mismatch',
    });
    const scopes = ['reconciliation:resolve', 'statements:read'] as const;
    const { apiKey, apiSecret } = await setup.service.keyPairs.issue({
      company: setup.company.name,
      kind: 'test',
      scopes,
      expiresAt: undefined,
    });
    const restricted = createClient(setup.service.server, { apiKey, apiSecret });
    await decide(entry?.entry_id, { action: 'complete' }, restricted).expect(403);
    await setup.contributions.link(await setup.service.addCompany());
    expect((await decide(entry?.entry_id, { action: 'complete' }).expect(403)).body).toMatchObject({
      code: 'completion_reserved_for_bank',
    });
    expect(await setup.contributions.row(id)).toMatchObject({ status: 'pending' });
    const list: Response = await setup.company.test.get(
      `${statementsPath}/entries/${entry!.entry_id}/decisions`,
    );
    expect((list.body as { data: unknown[] }).data).toEqual([]);
  });

  test('completes all contributions of an entry or none', async () => {
    const ids = [
      await setup.contributions.create(),
      await setup.contributions.create(),
      await setup.contributions.create(),
    ];
    const [entry] = await entriesOf([{ cents: 76_00n, text: 'both', reference: 'R-1' }]);
    const allocations = [...ids.slice(0, 2).map((id) => part(id)), part(ids[2]!, '25.00')];
    const split = { action: 'split', allocations };
    await entryAfter(entry?.entry_id, split);
    expect((await decide(entry?.entry_id, { action: 'complete' }).expect(409)).body).toMatchObject({
      code: 'amount_mismatch',
    });
    for (const id of ids) expect(await setup.contributions.row(id)).toMatchObject({ status: 'pending' });
    const list: Response = await setup.company.test.get(
      `${statementsPath}/entries/${entry!.entry_id}/decisions`,
    );
    expect((list.body as { data: unknown[] }).data).toMatchObject([{ action: 'split' }]);
    // The rejected completion is recorded.
    expect(await setup.contributions.events(ids[2]!)).toMatchObject([
      { type: 'contribution.completion_refused' },
    ]);
  });
});

test('a decision that does not apply is rejected, and nothing is stored', async () => {
  const id = await setup.contributions.create();
  const stranger = await setup.service.addCompany();
  const theirs = await (await createCompletions(setup.service, stranger)).create();
  const [entry, euro] = await entriesOf([
    { cents: amount, text: 'rent', reference: 'R-1' },
    { cents: 99_00n, text: 'rent', reference: 'R-2', currency: 'EUR' },
  ]);
  const wrong: [number, object][] = [
    [400, { action: 'link' }],
    [400, { action: 'link', allocations: [part(id, '25.00')] }],
    [400, { action: 'split', allocations: [part(id)] }],
    [400, { action: 'split', allocations: [part(id, '10.00'), part(id, '15.50')] }],
    [400, { action: 'ignore', allocations: [part(id)] }],
    [400, { action: 'ignore', reason: '' }],
    [400, { action: 'forget' }],
    [404, { action: 'link', allocations: [part(theirs)] }],
    [404, { action: 'link', allocations: [part('K7Q20CR5M3V9XHH')] }],
    [409, { action: 'complete' }],
  ];
  for (const [status, decision] of wrong) await decide(entry?.entry_id, decision).expect(status);
  const links = { action: 'link', allocations: [part(id, '99.00')] };
  expect((await decide(euro?.entry_id, links).expect(409)).body).toMatchObject({
    code: 'decision_not_applicable',
  });
  await decide(entry?.entry_id, { action: 'ignore' }, stranger.test).expect(404);
  const { rows } = await setup.service.database.admin.query(
    'SELECT FROM reconciliation_decisions d WHERE d.entry_id = ANY ($1)',
    [[entry?.entry_id, euro?.entry_id]],
  );
  expect(rows).toEqual([]);
});

describe('a decision whose process stops', () => {
  let proxy: PostgresProxy;
  let interrupted: TestService;
  beforeAll(async () => {
    proxy = await startPostgresProxy(setup.service.database.url);
    const settings = { SANDBOX_REQUEST_LOG: 'off' };
    interrupted = await startService({ database: setup.service.database, databaseUrl: proxy.url, settings });
  });
  afterAll(async () => {
    await interrupted.stop();
    await proxy.stop();
  });

  test.each([
    ['decide_entry', 'reply'],
    ['put_statement_entries', 'request'],
    ['put_statement_entries', 'reply'],
  ] as const)('at %s (%s) takes effect, and is stored once', async (statement, moment) => {
    const id = await setup.contributions.create();
    const [entry] = await entriesOf([{ cents: amount, text: 'rent', reference: 'R-1' }]);
    const decision = { action: 'link', allocations: [part(id)] };
    proxy.cutAt(moment, statement);
    await decide(entry?.entry_id, decision, createClient(interrupted.server, setup.company.test));
    proxy.restore();
    await until('the decision takes effect', async () => {
      await matchAll(setup.service);
      return (await money(id)).position === 'money_without_completion';
    });
    await decide(entry?.entry_id, decision).expect(200);
    const list: Response = await setup.company.test.get(
      `${statementsPath}/entries/${entry!.entry_id}/decisions`,
    );
    expect((list.body as { data: unknown[] }).data).toHaveLength(1);
  });

  test.each(sample(['request', 'reply'] as const, 1))(
    'between two completions (%s) is recorded, and a repeat completes the rest',
    async (moment) => {
      const ids = [await setup.contributions.create(), await setup.contributions.create()];
      const [entry] = await entriesOf([{ cents: 2n * amount, text: 'both', reference: 'R-1' }]);
      await entryAfter(entry?.entry_id, { action: 'split', allocations: ids.map((id) => part(id)) });
      proxy.cutAt(moment, 'complete_transaction');
      await decide(
        entry?.entry_id,
        { action: 'complete' },
        createClient(interrupted.server, setup.company.test),
      );
      proxy.restore();
      const completed = await Promise.all(ids.map((id) => setup.contributions.row(id)));
      const count = completed.filter((row) => (row as { status: string }).status === 'completed').length;
      expect(count).toBe(moment === 'reply' ? 1 : 0);
      const actions = async () => {
        const list: Response = await setup.company.test.get(
          `${statementsPath}/entries/${entry!.entry_id}/decisions`,
        );
        return (list.body as { data: { action: string }[] }).data.map(({ action }) => action);
      };
      expect(await actions()).toEqual(['complete', 'split']);
      await decide(entry?.entry_id, { action: 'complete' }).expect(200);
      for (const id of ids) expect(await setup.contributions.row(id)).toMatchObject({ status: 'completed' });
      expect(await actions()).toEqual(['complete', 'split']);
    },
  );
});

test('decisions survive a void and a repeated upload of the file', async () => {
  const id = await setup.contributions.create();
  const lines = [{ cents: amount, text: 'rent', reference: 'R-1' }];
  const [entry] = await entriesOf(lines);
  await entryAfter(entry?.entry_id, { action: 'link', allocations: [part(id)] });
  const { body } = (await setup.company.test.get(statementsPath)) as {
    body: { data: { file_id: string }[] };
  };
  await setup.company.test
    .post(`${statementsPath}/${body.data[0]!.file_id}/void`, { reason: 'wrong' })
    .expect(200);
  await matchAll(setup.service);
  expect((await money(id)).position).toBe('waiting');
  await decide(entry?.entry_id, { action: 'ignore' }).expect(404);
  await entriesOf(lines);
  expect((await money(id)).position).toBe('money_without_completion');
});

describe('a decision on a batch entry without parts', () => {
  const day = { from: '2026-11-20' };
  const whole = { cents: 2n * amount, text: 'collected', reference: 'BATCH-1' };
  const withParts = (...ids: string[]) => [{ ...whole, parts: ids.map((id) => ({ cents: amount, id })) }];
  const notify = (...ids: string[]) =>
    uploadAndMatch(setup.company.test, statementFile(withParts(...ids), { ...day, kind: '054' }));
  const complete = async (): Promise<string> => {
    const id = await setup.contributions.create();
    await setup.contributions.complete(setup.company.test, id).expect(200);
    return id;
  };
  const positionsOf = (ids: readonly string[]): Promise<string[]> =>
    Promise.all(ids.map(async (id) => (await money(id)).position));
  const split = (...ids: string[]) => ({ action: 'split', allocations: ids.map((id) => part(id)) });

  test('stays when another statement has the parts', async () => {
    const ids = [await complete(), await complete()];
    const [entry] = await entriesOf([whole]);
    await entryAfter(entry?.entry_id, split(...ids));
    expect(await positionsOf(ids)).toEqual(['matched', 'matched']);
    const { file_id: fileId } = await notify('CUST-1', 'CUST-2');
    expect(await positionsOf(ids)).toEqual(['matched', 'matched']);
    expect(await readEntries(setup.company.test, fileId)).toEqual([]);
    await setup.company.test.get(`${statementsPath}/entries/${entry?.entry_id ?? ''}/decisions`).expect(200);
    expect(await entryAfter(entry?.entry_id, split(...ids))).toMatchObject({ outcome: 'matched' });
  });

  test.each(['ignore', 'unlink'])('leaves no unexplained part if its action is %s', async (action) => {
    const [entry] = await entriesOf([whole]);
    await decide(entry?.entry_id, { action }).expect(200);
    const { file_id: fileId } = await notify('CUST-1', 'CUST-2');
    expect(await readEntries(setup.company.test, fileId)).toEqual([]);
  });

  test('is replaced by the parts when its file is voided, and counts again with the file', async () => {
    const [one, other, third] = [await complete(), await complete(), await complete()];
    const { file_id: fileId } = await uploadAndMatch(setup.company.test, statementFile([whole], day));
    const [entry] = await readEntries(setup.company.test, fileId);
    await entryAfter(entry?.entry_id, split(one, other));
    await notify(third, 'CUST-2');
    const decided = ['matched', 'matched', 'unconfirmed'];
    expect(await positionsOf([one, other, third])).toEqual(decided);
    await setup.company.test.post(`${statementsPath}/${fileId}/void`, { reason: 'wrong' }).expect(200);
    await matchAll(setup.service);
    expect(await positionsOf([one, other, third])).toEqual(['unconfirmed', 'unconfirmed', 'matched']);
    await uploadAndMatch(setup.company.test, statementFile([whole], day));
    expect(await positionsOf([one, other, third])).toEqual(decided);
  });

  test('about incomplete parts is replaced by the complete parts', async () => {
    const ids = [await complete(), await complete()];
    const stated = statementFile(withParts(ids[0] ?? ''), day);
    const { file_id: fileId } = await uploadAndMatch(
      setup.company.test,
      stated.replace('<NtryDtls>', '<NtryDtls><Btch><NbOfTxs>2</NbOfTxs></Btch>'),
    );
    const [entry] = await readEntries(setup.company.test, fileId);
    expect(entry?.outcome).toBe('sums_differ');
    await entryAfter(entry?.entry_id, { action: 'ignore' });
    await notify(...ids);
    expect(await positionsOf(ids)).toEqual(['matched', 'matched']);
  });

  test('on a notification is replaced by the parts of the final statement', async () => {
    const ids = [await complete(), await complete()];
    const [entry] = await entriesOf([whole], setup.company.test, { ...day, kind: '054' });
    await entryAfter(entry?.entry_id, split(...ids));
    await uploadAndMatch(setup.company.test, statementFile(withParts(...ids), day));
    expect(await positionsOf(ids)).toEqual(['matched', 'matched']);
  });
});
