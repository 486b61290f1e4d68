import fc from 'fast-check';

import { createCompletions } from '../support/completions';
import { randomCases, takesAllRows } from '../support/full-run';
import { compareAll } from '../support/compare-all';
import {
  statementFile,
  statementsPath,
  upload,
  type UploadedFile,
  uploadAndWait,
} from '../support/statement-files';
import { readEntries, readMoney, setUpStatements } from '../support/statement-setup';

/** What happens after days were compared: completions, settlement lists, links and resets. */
const setup = setUpStatements({ pollMs: 100 });

const amount = 25_50n;
const day = { from: '2026-11-20' };
const complete = (id: string, reference: string) =>
  setup.contributions.complete(setup.company.test, id, { bank_reference: reference }).expect(200);
const listSettlements = (lines: readonly object[], client = setup.company.test) =>
  client
    .post(`${statementsPath}/settlements`)
    .set('Content-Type', 'application/x-ndjson')
    .send(lines.map((line) => JSON.stringify(line)).join('\n'));
const line = (reference: string, id: string, of = '25.50') => ({ reference, transaction_id: id, amount: of });
const transfer = (reference: string, count: bigint) => ({
  cents: count * amount,
  id: reference,
  reference: `R-${reference}`,
});
const positionOf = async (id: string, client = setup.company.test): Promise<string> =>
  (await readMoney(client, id)).position;
const positionsOf = (ids: readonly string[]) => Promise.all(ids.map((id) => positionOf(id)));
const outcomesOf = async (fileId: string, client = setup.company.test): Promise<string[]> =>
  (await readEntries(client, fileId))
    .filter(({ state }) => state !== 'replaced')
    .map(({ outcome, reason }) => [outcome, reason].join(' ').trim())
    .sort();

test('an entry is matched again after a later completion under its reference', async () => {
  const ids = [await setup.contributions.create(), await setup.contributions.create()];
  const { file_id: fileId } = await uploadAndWait(
    setup.company.test,
    statementFile([transfer('FT-1', 2n)], day),
  );
  expect(await outcomesOf(fileId)).toEqual(['unknown no_reference']);
  await complete(ids[0]!, 'FT-1');
  await compareAll(setup.service);
  expect(await outcomesOf(fileId)).toEqual(['unknown settlement_differs']);
  await complete(ids[1]!, 'FT-1');
  await compareAll(setup.service);
  expect(await outcomesOf(fileId)).toEqual(['matched']);
  expect(await positionsOf(ids)).toEqual(['matched', 'matched']);
});

describe('a settlement list', () => {
  test('matches an entry that was uploaded before or after it, as NDJSON or CSV', async () => {
    const ids = [await setup.contributions.create(), await setup.contributions.create()];
    const { file_id: fileId } = await uploadAndWait(
      setup.company.test,
      statementFile([transfer('FT-1', 2n)], day),
    );
    const lines = ids.map((id) => line('FT-1', id));
    const stored = await listSettlements(lines).expect(200);
    expect(stored.body).toEqual({
      settlements: [{ reference: 'FT-1', outcome: 'stored', contributions: 2, amount: '51.00' }],
    });
    await compareAll(setup.service);
    expect(await outcomesOf(fileId)).toEqual(['matched']);
    expect(await positionsOf(ids)).toEqual(['money_without_completion', 'money_without_completion']);
    const again = await listSettlements([...lines].reverse()).expect(200);
    expect(again.body).toMatchObject({ settlements: [{ outcome: 'unchanged' }] });

    const other = await setup.contributions.create();
    const refused = await setup.company.test
      .post(`${statementsPath}/settlements`)
      .set('Content-Type', 'text/csv')
      .send(`reference,transaction_id,amount,note\r\nFT-2,${other},25.50,rent\r\n`)
      .expect(400);
    expect(refused.body).toMatchObject({
      detail:
        'The first line names an unknown column: "note". The columns are reference, transaction_id, amount. No changes were made.',
    });
    await setup.company.test
      .post(`${statementsPath}/settlements`)
      .set('Content-Type', 'text/csv')
      .send(`reference,transaction_id,amount\r\nFT-2,${other.toLowerCase()},25.50\r\n`)
      .expect(200);
    await uploadAndWait(setup.company.test, statementFile([transfer('FT-2', 1n)], { from: '2026-11-23' }));
    expect(await positionOf(other)).toBe('money_without_completion');
  });

  test('that does not explain the entry allocates nothing, and a later list replaces it', async () => {
    const ids = [await setup.contributions.create(), await setup.contributions.create()];
    const lines = ids.map((id) => line('FT-1', id));
    const { file_id: fileId } = await uploadAndWait(
      setup.company.test,
      statementFile([transfer('FT-1', 2n)], day),
    );
    const wrong = [
      [lines[0]!],
      [lines[0]!, line('FT-1', ids[1]!, '25.00')],
      // The second id does not exist.
      [lines[0]!, line('FT-1', 'K7Q20CR5M3V9XHG')],
    ];
    for (const list of wrong) {
      await listSettlements(list).expect(200);
      await compareAll(setup.service);
      expect(await outcomesOf(fileId)).toEqual(['unknown settlement_differs']);
    }
    await listSettlements(lines).expect(200);
    await compareAll(setup.service);
    expect(await outcomesOf(fileId)).toEqual(['matched']);
    await listSettlements([lines[0]!]).expect(200);
    await compareAll(setup.service);
    expect(await outcomesOf(fileId)).toEqual(['unknown settlement_differs']);
    expect(await positionsOf(ids)).toEqual(['waiting', 'waiting']);
  });

  test('with an invalid line is refused as a whole, and the error names the line', async () => {
    const id = await setup.contributions.create();
    const refused = await listSettlements([line('FT-1', id), line('FT-1', id), line('', id, '1.001')]).expect(
      400,
    );
    const { errors } = refused.body as { errors: { pointer: string; code: string }[] };
    expect(errors.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      '/2/transaction_id duplicate',
      '/3/reference invalid_length',
      '/3/amount invalid_format',
    ]);
    const typo = id.slice(0, 14) + (id.endsWith('A') ? 'B' : 'A');
    expect((await listSettlements([line('FT-1', typo)]).expect(400)).body).toMatchObject({
      errors: [{ pointer: '/1/transaction_id', code: 'invalid_format' }],
    });
    const text = (body: string) =>
      setup.company.test
        .post(`${statementsPath}/settlements`)
        .set('Content-Type', 'application/x-ndjson')
        .send(body);
    expect((await text('{"reference"').expect(400)).body).toMatchObject({ code: 'malformed_body' });
    expect((await text('\n').expect(400)).body).toMatchObject({ code: 'malformed_body' });
    const many = Array.from({ length: 501 }, (_, at) => line(`FT-${at}`, id));
    await listSettlements(many).expect(413);
    const { rows } = await setup.service.database.admin.query('SELECT FROM settlement_lists');
    const before = rows.length;
    await listSettlements([line('FT-1', id)]).expect(200);
    const after = await setup.service.database.admin.query('SELECT FROM settlement_lists');
    expect(after.rows.length - before).toBe(1);
  });
});

test("a bank's statements are compared again after it is linked", async () => {
  const bank = await setup.service.addCompany();
  const id = await setup.contributions.create();
  await uploadAndWait(bank.test, statementFile([{ cents: amount, id, reference: 'R-1' }], day));
  await bank.test.get(`/company/integration/contributions/${id}/money`).expect(404);
  await setup.contributions.link(bank);
  await compareAll(setup.service);
  expect(await positionOf(id, bank.test)).toBe('money_without_completion');
});

test('attached and damaged ids pay the same, whether the link comes before or after the upload', async () => {
  const bank = await setup.service.addCompany();
  const other = await createCompletions(setup.service, await setup.service.addCompany());
  const ids = await Promise.all(Array.from({ length: 4 }, () => setup.contributions.create()));
  const [attached = '', damaged = '', wrapped = '', lower = ''] = ids;
  const invisible = await other.create();
  const withWrong = (id: string): string => id.slice(0, 8) + (id[8] === 'A' ? 'B' : 'A') + id.slice(9);
  const texts = [
    `INV${attached}EUR`,
    withWrong(damaged),
    `pay ${wrapped.slice(0, 7)} ${wrapped.slice(7)}`,
    `PAY-${lower.toLowerCase()}`,
    // The bank is not linked to this company, so it must not learn whether the id exists.
    `INV${invisible}EUR`,
    withWrong(invisible),
  ];
  const content = statementFile(
    texts.map((text, at) => ({ cents: amount, text, reference: `R-${at}` })),
    day,
  );
  const { file_id: fileId } = await uploadAndWait(bank.test, content);
  // Without a link, even a damaged id is only a word.
  const unknown = ['unknown no_reference', 'unknown no_reference'];
  expect(await outcomesOf(fileId, bank.test)).toEqual(
    [...unknown, ...unknown, 'unknown not_found', 'unknown not_found'].sort(),
  );
  await setup.contributions.link(bank);
  await compareAll(setup.service);
  const expected = ['matched', 'matched', 'matched', 'proposed', ...unknown];
  expect(await outcomesOf(fileId, bank.test)).toEqual(expected);
  await bank.test
    .post(`${statementsPath}/${fileId}/void`, { reason: 'Uploaded before the link' })
    .expect(200);
  const { file_id: after } = await uploadAndWait(bank.test, content);
  expect(after).not.toBe(fileId);
  expect(await outcomesOf(after, bank.test)).toEqual(expected);
});

test('a list of an environment without events hides no later completion', async () => {
  const bank = await setup.service.addCompany();
  const { file_id: fileId } = await uploadAndWait(bank.test, statementFile([transfer('FT-1', 1n)], day));
  await listSettlements([line('FT-9', 'K7Q20CR5M3V9XHG')], bank.test).expect(200);
  await compareAll(setup.service);
  await setup.contributions.link(bank);
  const id = await setup.contributions.create();
  await setup.contributions.complete(bank.test, id, { bank_reference: 'FT-1' }).expect(200);
  await compareAll(setup.service);
  expect(await outcomesOf(fileId, bank.test)).toEqual(['matched']);
});

/** The state of one case and all its events, whose order must not matter. */
interface World {
  settled: string[];
  listed: string[];
  differing: string;
  events: (() => Promise<unknown>)[];
}

async function createWorld(): Promise<World> {
  await setup.renewCompany();
  const ids = await Promise.all(Array.from({ length: 6 }, () => setup.contributions.create()));
  const [a = '', b = '', c = '', d = '', e = '', differing = ''] = ids;
  const sent = (lines: Parameters<typeof statementFile>[0], form: object) => () =>
    upload(setup.company.test, statementFile(lines, form)).expect(202);
  const days = [transfer('SET', 3n), transfer('LIST', 2n), transfer('DIFF', 2n)];
  return {
    settled: [a, b, c],
    listed: [d, e],
    differing,
    events: [
      ...[a, b, c].map((id) => () => complete(id, 'SET')),
      () => complete(differing, 'DIFF'),
      () => listSettlements([line('LIST', d), line('LIST', e)]).expect(200),
      sent(days.slice(0, 2), { from: '2026-11-20T00:00:00', to: '2026-11-20T12:00:00' }),
      sent(days, day),
      sent(days.slice(1), { ...day, kind: '052' }),
      // The days may be compared at any time in between.
      () => compareAll(setup.service),
      () => compareAll(setup.service),
    ],
  };
}

test('completions, lists and files give the same positions in any order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray([...Array(10).keys()], { minLength: 10 }), async (order) => {
      const { settled, listed, differing, events } = await createWorld();
      for (const at of order) await events[at]!();
      await compareAll(setup.service);
      expect(await positionsOf([...settled, ...listed, differing])).toEqual([
        ...settled.map(() => 'matched'),
        ...listed.map(() => 'money_without_completion'),
        'unconfirmed',
      ]);
      const { body } = (await setup.company.test.get(statementsPath)) as { body: { data: UploadedFile[] } };
      const outcomes = await Promise.all(body.data.map(({ file_id: fileId }) => outcomesOf(fileId)));
      expect(new Set(outcomes.flat())).toEqual(new Set(['matched', 'unknown settlement_differs']));
    }),
    { numRuns: takesAllRows ? 100 : randomCases(30) },
  );
}, 300_000);

test("after a company's reset, its bank's entries say so", async () => {
  const bank = await setup.service.addCompany();
  await setup.contributions.link(bank);
  const [named, other] = [await setup.contributions.create(), await setup.contributions.create()];
  await setup.contributions.complete(bank.test, other, { bank_reference: 'FT-1' }).expect(200);
  const { file_id: fileId } = await uploadAndWait(
    bank.test,
    statementFile([transfer(named, 1n), transfer('FT-1', 1n), transfer('FT-2', 1n)], day),
  );
  expect(await outcomesOf(fileId, bank.test)).toEqual(['matched', 'matched', 'unknown no_reference']);
  await setup.company.test.post('/company/integration/sandbox/reset', {}).expect(200);
  await compareAll(setup.service);
  expect(await outcomesOf(fileId, bank.test)).toEqual([
    'unknown company_reset',
    'unknown company_reset',
    'unknown no_reference',
  ]);
  // Another bank learns nothing about these contributions.
  const stranger = await setup.service.addCompany();
  const { file_id: elsewhere } = await uploadAndWait(
    stranger.test,
    statementFile([transfer(named, 1n), transfer('FT-1', 1n)], day),
  );
  expect(await outcomesOf(elsewhere, stranger.test)).not.toContain('unknown company_reset');
});

test("after a company's reset, an entry about its new contributions keeps its own reason", async () => {
  const bank = await setup.service.addCompany();
  await setup.contributions.link(bank);
  const completeBoth = async (reference: string, listed: string) => {
    const [one, other] = [await setup.contributions.create(), await setup.contributions.create()];
    await setup.contributions.complete(bank.test, one, { bank_reference: reference }).expect(200);
    await listSettlements([line(listed, other)], bank.test).expect(200);
    return other;
  };
  await completeBoth('FT-REUSED', 'FT-LISTED');
  await setup.company.test.post('/company/integration/sandbox/reset', {}).expect(200);
  const entries = [
    { cents: 20_00n, id: 'FT-REUSED', reference: 'R-1' },
    { cents: 20_00n, id: 'FT-LISTED', reference: 'R-2' },
  ];
  const { file_id: fileId } = await uploadAndWait(bank.test, statementFile(entries, day));
  expect(await outcomesOf(fileId, bank.test)).toEqual(['unknown company_reset', 'unknown company_reset']);
  const listed = await completeBoth('FT-REUSED', 'FT-UNUSED');
  await listSettlements([line('FT-LISTED', listed)], bank.test).expect(200);
  await compareAll(setup.service);
  expect(await outcomesOf(fileId, bank.test)).toEqual([
    'unknown settlement_differs',
    'unknown settlement_differs',
  ]);
});

test("a bank's entries under the reference of another bank are matched again after a correction", async () => {
  const [bank, other] = [await setup.service.addCompany(), await setup.service.addCompany()];
  for (const one of [bank, other]) await setup.contributions.link(one);
  const ids = [await setup.contributions.create(), await setup.contributions.create()];
  const complete = (id: string) =>
    setup.contributions.complete(other.test, id, { bank_reference: 'FT-1' }).expect(200);
  for (const id of ids) await complete(id);
  const lines = [transfer('FT-1', 2n), { ...transfer('FT-1', 1n), reference: 'R-2' }];
  const { file_id: fileId } = await uploadAndWait(bank.test, statementFile(lines, day));
  const matched = async (): Promise<string[]> => {
    await compareAll(setup.service);
    const entries = await readEntries(bank.test, fileId);
    return entries.filter(({ outcome }) => outcome === 'matched').map(({ amount: of }) => of);
  };
  expect(await matched()).toEqual(['51.00']);
  const wrong = `/company/integration/contributions/${ids[0]}/correction`;
  await other.test.post(wrong, { reason: 'wrong' }).expect(201);
  expect(await matched()).toEqual(['25.50']);
});
