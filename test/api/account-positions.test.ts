import { daysContract } from '../../src/features/bank-statements/reporting/days/days.contract';
import { linesContract } from '../../src/features/bank-statements/reporting/lines/lines.contract';
import { positionsContract } from '../../src/features/bank-statements/reporting/positions/positions.contract';
import { addReporter, type Reporter, type Reports, startReports } from '../support/account-reports';
import { type Line, statementFile } from '../support/statement-files';
import type { StoredDays } from '../support/stored-days';

let reports: Reports;
beforeAll(async () => {
  reports = await startReports();
});
afterAll(() => reports.stop());

/** Days without a gap around the completions of today, as one statement. */
async function addStatement(stored: StoredDays, lines: readonly Line[]): Promise<void> {
  const day = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const [from, to] = [day(-10), day(12)];
  await stored.upload(
    statementFile(
      lines.map((line, at) => ({ date: day(0), reference: `R-${at}`, ...line })),
      { sequence: 1, from, to, openingCents: 1_000_00n },
    ),
  );
  await stored.work();
}

async function complete(reporter: Reporter, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    await reporter.client
      .put(`/company/integration/contributions/${id}`, { status: 'completed' })
      .expect(200);
}

const positions = async (reporter: Reporter, filter = '') =>
  (await reporter.read(positionsContract.list, `reconciliation${filter}`)).data;

test('positions follow from the lines that count, and say what arrived and what is missing', async () => {
  const reporter = await addReporter(reports, ['25.50', '10.00', '7.00', '8.00', '9.00', '6.00']);
  const [matched, short, over, returned, waiting, paidEarly] = reporter.ids;
  await complete(reporter, [matched!, short!, over!, returned!]);
  const stored = await reporter.addAccount();
  await addStatement(stored, [
    { cents: 25_50n, id: matched! },
    { cents: 7_00n, id: short! },
    { cents: 7_50n, id: over! },
    { cents: 8_00n, id: returned! },
    { cents: 8_00n, id: returned!, direction: 'debit', returnCode: 'AC04' },
    { cents: 6_00n, id: paidEarly! },
  ]);
  const shown = new Map((await positions(reporter)).map((one) => [one.transaction_id, one]));
  const of = (id: string | undefined) => {
    const { position, net_amount: net, explanation, is_open: isOpen } = shown.get(id!)!;
    return [position, net, isOpen, explanation];
  };
  expect(of(matched)).toEqual([
    'matched',
    '25.50',
    false,
    '25.50 of 25.50 arrived. Its full amount arrived.',
  ]);
  expect(of(short)).toEqual([
    ...['short', '7.00', true],
    '7.00 of 10.00 arrived. 3.00 is missing. Too little money arrived. Ask the bank about charges, or accept the difference.',
  ]);
  expect(of(over).slice(0, 3)).toEqual(['over', '7.50', true]);
  expect(of(returned)).toEqual([
    ...['returned', '0.00', false],
    '8.00 of 8.00 arrived. 8.00 was returned. Its money arrived and was returned.',
  ]);
  expect(of(waiting)).toEqual(['waiting', '0.00', false, 'It is pending, and no money arrived.']);
  expect(of(paidEarly).slice(0, 3)).toEqual(['money_without_completion', '6.00', true]);
  const open = await positions(reporter, '?open=1');
  expect(open.map(({ transaction_id: id }) => id).sort()).toEqual([short, over, paidEarly].sort());
  const summary = await reporter.read(positionsContract.summary, 'reconciliation/summary');
  expect(summary).toMatchObject({ is_complete: true, days_to_compare: 0, open: 3 });
});

test('a contribution shows its entries, and its sentence names them', async () => {
  const reporter = await addReporter(reports, ['25.50']);
  const [id] = reporter.ids;
  await complete(reporter, [id!]);
  const stored = await reporter.addAccount();
  await addStatement(stored, [
    { cents: 20_00n, id: id! },
    { cents: 5_50n, id: id! },
  ]);
  const shown = await reporter.read(positionsContract.ofContribution, `contributions/${id}/money`);
  expect([shown.position, shown.entries.length]).toEqual(['matched', 2]);
  expect(shown.explanation).toMatch(
    /^25\.50 of 25\.50 arrived\. (20\.00|5\.50) paid on \S+ \(statement 1, entry \d\); (20\.00|5\.50) paid on/,
  );
  const [entry] = shown.entries;
  const { sources, ...own } = await reporter.read(linesContract.get, `statements/entries/${entry!.entry_id}`);
  expect([own, sources.length]).toEqual([entry, 1]);
});

test('a contribution without money is missing only if the calendar covers its days', async () => {
  const reporter = await addReporter(reports, ['25.50']);
  await complete(reporter, reporter.ids);
  const stored = await reporter.addAccount();
  const { accountId } = stored.account;
  const position = async () => (await positions(reporter))[0]!.position;
  const set = () =>
    reporter.client
      .raw('put', `/company/integration/statement-accounts/${accountId}`)
      .send({ complete_coverage: true });
  expect((await set()).status).toBe(200);
  expect(await position()).toBe('unconfirmed');
  // The statement was made after its last day.
  await addStatement(Object.assign(stored, { now: new Date(Date.now() + 20 * 86_400_000) }), []);
  expect(await position()).toBe('completed_without_money');
  await reports.service.database.admin.query(
    'UPDATE account_days SET is_changed = true WHERE environment_id = $1',
    [reporter.environmentId],
  );
  expect(await position()).toBe('unconfirmed');
  await stored.work();
  expect(await position()).toBe('completed_without_money');
});

test('money that is not due yet is not called missing', async () => {
  const reporter = await addReporter(reports, ['25.50', '25.50']);
  const [soon, overdue] = reporter.ids;
  await complete(reporter, [soon!]);
  await reporter.client
    .put(`/company/integration/contributions/${overdue}`, { status: 'completed', value_date: '2026-11-02' })
    .expect(200);
  const [first, second] = await positions(reporter);
  expect(first).toMatchObject({
    position: 'unconfirmed',
    explanation: `Its money is not due yet: it is expected by ${first?.due_day}. Upload the statements of these days as soon as your bank has made them.`,
  });
  expect(second?.explanation).toBe(
    'No statement covers the days on which its money was due. Upload the missing statements.',
  );
});

test('a contribution whose completion was corrected is not called pending', async () => {
  const reporter = await addReporter(reports, ['25.50', '6.00']);
  await complete(reporter, reporter.ids);
  const [unpaid, paid] = reporter.ids;
  for (const id of reporter.ids)
    await reporter.client
      .post(`/company/integration/contributions/${id}/correction`, { reason: 'another contribution' })
      .expect(201);
  await addStatement(await reporter.addAccount(), [{ cents: 6_00n, id: paid! }]);
  expect(await positions(reporter)).toMatchObject([
    {
      ...{ transaction_id: unpaid, status: 'completed', position: 'waiting', due_day: null },
      explanation: 'Its completion was corrected, and no money arrived.',
    },
    {
      ...{ transaction_id: paid, status: 'completed', position: 'money_without_completion' },
      explanation:
        '6.00 of 6.00 arrived. Its money arrived, but its completion was corrected. Complete it again.',
    },
  ]);
});

test('a difference that a person accepted is not open while the money is the same', async () => {
  const reporter = await addReporter(reports, ['25.50']);
  const [id] = reporter.ids;
  await complete(reporter, [id!]);
  const stored = await reporter.addAccount();
  await addStatement(stored, [{ cents: 20_00n, id: id! }]);
  const { admin } = reports.service.database;
  const isOpen = async () => (await positions(reporter))[0]!.is_open;
  expect(await isOpen()).toBe(true);
  await admin.query('UPDATE contribution_money SET accepted_at = now() WHERE environment_id = $1', [
    reporter.environmentId,
  ]);
  expect(await isOpen()).toBe(false);
  expect((await positions(reporter))[0]?.explanation).toBe(
    '20.00 of 25.50 arrived. 5.50 is missing. Too little money arrived. The difference was accepted.',
  );
  await addStatement(await reporter.addAccount(), [{ cents: 1_00n, id: id! }]);
  expect(await isOpen()).toBe(true);
});

test.each([
  ['nothing moved', 1_000_00n, 'completed_without_money'],
  ['money moved', 1_010_00n, 'unconfirmed'],
])(
  'over an accepted gap in which %s, a completion is not called unpaid',
  async (_what, opening, expected) => {
    const reporter = await addReporter(reports, ['25.50']);
    await complete(reporter, reporter.ids);
    const stored = await reporter.addAccount();
    const day = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    Object.assign(stored, { now: new Date(Date.now() + 20 * 86_400_000) });
    await stored.upload(
      statementFile([], { sequence: 1, from: day(-20), to: day(-10), openingCents: 1_000_00n }),
    );
    await stored.upload(
      statementFile([], { sequence: 5, from: day(10), to: day(19), openingCents: opening }),
    );
    await stored.work();
    const { accountId } = stored.account;
    const path = `/company/integration/statement-accounts/${accountId}`;
    await reporter.client.raw('put', path).send({ complete_coverage: true }).expect(200);
    const position = async () => (await positions(reporter))[0]?.position;
    expect(await position()).toBe('unconfirmed');
    const { data } = await reporter.read(daysContract.questions, 'reconciliation/questions');
    const [{ from, gap }] = data as [(typeof data)[number]];
    await reporter.client
      .raw('post', `${path}/days/${from}/choice`)
      .send({ kind: 'accept', gap, reason: 'the statement is lost' })
      .expect(200);
    await stored.work();
    expect(await position()).toBe(expected);
  },
);
