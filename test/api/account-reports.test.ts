import { parse } from 'csv-parse/sync';
import { z } from 'zod';

import { accountsContract } from '../../src/features/bank-statements/accounts/accounts.contract';
import { daysContract } from '../../src/features/bank-statements/reporting/days/days.contract';
import { linesContract } from '../../src/features/bank-statements/reporting/lines/lines.contract';
import { addReporter, type Reporter, type Reports, startReports } from '../support/account-reports';
import { type Line, statementFile } from '../support/statement-files';
import type { StoredDays } from '../support/stored-days';

let reports: Reports;
beforeAll(async () => {
  reports = await startReports();
});
afterAll(() => reports.stop());

const numbered = (sequence: number, day: string, openingCents: bigint, lines: readonly Line[]): string =>
  statementFile(
    lines.map((line) => ({ date: day, ...line })),
    { sequence, from: day, openingCents },
  );

const daysPath = ({ account }: StoredDays, from: string, to: string): string =>
  `statement-accounts/${account.accountId}/days?from=${from}&to=${to}`;

/** Numbers every day from 1, so that the first day is known to be the first. */
async function addDays(stored: StoredDays, days: readonly (readonly [string, bigint, readonly Line[]])[]) {
  const files: string[] = [];
  for (const [at, [day, opening, lines]] of days.entries())
    files.push(await stored.upload(numbered(at + 1, day, opening, lines)));
  await stored.work();
  return files;
}

/** A statement of three days, and another version of it. */
async function addTwoVersions(reporter: Reporter) {
  const stored = await reporter.addAccount();
  const days = { from: '2026-11-17', to: '2026-11-19', openingCents: 0n };
  const line = { cents: 25_50n, reference: 'R-1', date: '2026-11-17' };
  const last = { cents: 1_00n, reference: 'R-9', date: '2026-11-19' };
  const later = { cents: 4_50n, text: 'a gift', date: '2026-11-18' };
  const files = [
    await stored.upload(statementFile([line, last], { ...days, sequence: 1 })),
    await stored.upload(
      statementFile([{ ...line, cents: 26_00n }, later, { ...last, cents: 2_00n }], { ...days, sequence: 1 }),
    ),
  ];
  await stored.work();
  return { stored, files };
}

test('the days of an account show what covers them, what counts, and what must be answered', async () => {
  const reporter = await addReporter(reports, ['25.50']);
  const stored = await reporter.addAccount();
  const files = await addDays(stored, [
    ['2026-11-12', 0n, [{ cents: 25_50n, id: reporter.ids[0]!, reference: 'R-1' }]],
    ['2026-11-13', 25_50n, [{ cents: 4_50n, text: 'a gift', reference: 'R-2' }]],
    ['2026-11-16', 30_00n, []],
    ['2026-11-17', 30_00n, []],
    ['2026-11-18', 40_00n, [{ cents: 10_00n, direction: 'debit', text: 'rent', reference: 'R-3' }]],
  ]);
  await stored.upload(numbered(9, '2026-11-23', 30_00n, []));
  await stored.work();
  const { data, has_more: hasMore } = await reporter.read(
    daysContract.list,
    daysPath(stored, '2026-11-11', '2026-11-25'),
  );
  expect(hasMore).toBe(false);
  const shown = data.map(({ day, state, counted_amount: counted, closing_balance: closing, questions }) => ({
    day: `${day} ${state}`,
    ...{ counted, closing, questions: questions.map(({ kind, from, to }) => `${kind} ${from} ${to}`) },
  }));
  const none = { counted: '0.00', closing: null, questions: [] };
  expect(shown).toEqual([
    { day: '2026-11-11 missing', ...none },
    { day: '2026-11-12 covered', counted: '25.50', closing: '25.50', questions: [] },
    { day: '2026-11-13 covered', counted: '4.50', closing: '30.00', questions: [] },
    // The weekend.
    { day: '2026-11-14 covered', ...none, closing: '30.00' },
    { day: '2026-11-15 covered', ...none, closing: '30.00' },
    { day: '2026-11-16 covered', ...none, closing: '30.00' },
    { day: '2026-11-17 open', ...none, closing: '30.00' },
    {
      ...{ day: '2026-11-18 open', counted: '-10.00', closing: '30.00' },
      questions: ['does_not_follow 2026-11-18 2026-11-18'],
    },
    { day: '2026-11-19 missing', ...none },
    { day: '2026-11-20 missing', ...none },
    { day: '2026-11-21 missing', ...none },
    { day: '2026-11-22 missing', ...none },
    {
      day: '2026-11-23 missing',
      ...none,
      closing: '30.00',
      questions: ['days_missing 2026-11-23 2026-11-23'],
    },
    { day: '2026-11-24 missing', ...none },
  ]);
  expect(data[1]).toMatchObject({
    ...{ reason: null, opening_balance: '0.00', change: '25.50', counted_entries: 1, proposed_entries: 0 },
    statements: [{ file_id: files[0], number: '1', format: 'camt.053', kind: 'final', is_used: true }],
  });
  expect(data.filter(({ state }) => state === 'covered').every(({ reason }) => reason === null)).toBe(true);
  expect(data.filter(({ state }) => state !== 'covered').map(({ reason }) => reason)).not.toContain(null);
  expect(data[7]!.questions[0]).toMatchObject({
    closing_before: '30.00',
    opening_after: '40.00',
    choices: [],
  });
});

test('a statement of several days asks one question, and names the statements to choose from', async () => {
  const reporter = await addReporter(reports);
  const { stored, files } = await addTwoVersions(reporter);
  const { data } = await reporter.read(daysContract.list, daysPath(stored, '2026-11-17', '2026-11-20'));
  expect(data.map(({ state, questions }) => [state, questions.length])).toEqual([
    ['open', 1],
    ['open', 0],
    ['open', 0],
  ]);
  const [question] = data[0]!.questions;
  expect(question).toMatchObject({ kind: 'two_versions', from: '2026-11-17', to: '2026-11-19', gap: null });
  expect(question!.choices.map(({ version }) => version)).toEqual(question!.versions);
  const choices = question!.choices.map(({ statements, entries, change }) => ({
    ...{ files: statements.map(({ file_id: id }) => id), entries, change },
  }));
  expect(choices).toHaveLength(2);
  expect(choices).toEqual(
    expect.arrayContaining([
      { files: [files[0]], entries: 1, change: '25.50' },
      { files: [files[1]], entries: 1, change: '26.00' },
    ]),
  );
  expect(question!.choices.filter(({ is_chosen: isChosen }) => isChosen)).toHaveLength(1);
  const listed = await reporter.read(daysContract.questions, 'reconciliation/questions');
  expect(listed).toEqual({ data: [question], has_more: false, next_cursor: null });
  // A page that starts later repeats the question, with its first day.
  const later = await reporter.read(daysContract.list, daysPath(stored, '2026-11-18', '2026-11-20'));
  expect(later.data[0]!.questions).toEqual([question]);
});

test('the list of questions goes on after accounts with many days', async () => {
  const reporter = await addReporter(reports);
  for (let at = 0; at < 3; at += 1) {
    const { stored } = await addTwoVersions(reporter);
    await reports.service.database.admin.query(
      `INSERT INTO account_days (environment_id, account_id, day)
       SELECT $1, $2, '2027-01-01'::date + n FROM generate_series(1, 900) AS n`,
      [reporter.environmentId, stored.account.accountId],
    );
  }
  const first = await reporter.read(daysContract.questions, 'reconciliation/questions');
  expect([first.data.length, first.has_more]).toEqual([3, true]);
  const path = `reconciliation/questions?cursor=${first.next_cursor}`;
  const second = await reporter.read(daysContract.questions, path);
  expect([second.data, second.has_more]).toEqual([[], false]);
  expect(new Set(first.data.map(({ account_id: id }) => id)).size).toBe(3);
});

test('accounts show the latest days that are covered, and why later ones are not', async () => {
  const reporter = await addReporter(reports);
  await reporter.addAccount();
  expect((await reporter.read(accountsContract.list, 'statement-accounts')).data).toEqual([]);
  const stored = await reporter.addAccount();
  await addDays(stored, [
    ['2026-11-16', 0n, []],
    ['2026-11-17', 0n, []],
    ['2026-11-18', 5_00n, []],
  ]);
  const { accountId } = stored.account;
  const [account] = (await reporter.read(accountsContract.list, 'statement-accounts')).data;
  expect(account).toMatchObject({
    ...{ account_id: accountId, covered_from: '2026-11-16', covered_to: '2026-11-16' },
    coverage_reason: 'The day 2026-11-18 does not follow it. Answer its question.',
  });
  const set = await reporter.client
    .raw('put', `/company/integration/statement-accounts/${accountId}`)
    .send({ complete_coverage: true, grace_days: 5, direction: 'debit' });
  expect(set.status).toBe(200);
  expect(accountsContract.set.responses[200].body.parse(set.body)).toMatchObject({
    ...{ complete_coverage: true, grace_days: 5, direction: 'debit', covered_to: '2026-11-16' },
  });
  expect(await stored.daysWithWork()).toEqual(['2026-11-16', '2026-11-17', '2026-11-18']);
  await stored.work();
  const { data } = await reporter.read(daysContract.list, daysPath(stored, '2026-11-16', '2026-11-17'));
  expect(data[0]!.is_pending).toBe(false);
});

test('coverage is found over years without a gap', async () => {
  const reporter = await addReporter(reports);
  const stored = await reporter.addAccount();
  await stored.upload(statementFile([], { from: '2026-11-16', openingCents: 0n }));
  await stored.work();
  await reports.service.database.admin.query(
    `INSERT INTO account_days (environment_id, account_id, day, statement_ids, opening_cents, closing_cents, change_cents,
            version, format, summary, chosen_in)
     SELECT environment_id, account_id, day - n, statement_ids, opening_cents, closing_cents, change_cents, version, format,
            summary, chosen_in
       FROM account_days, generate_series(1, 700) AS n WHERE environment_id = $1`,
    [reporter.environmentId],
  );
  const [account] = (await reporter.read(accountsContract.list, 'statement-accounts')).data;
  expect(account).toMatchObject({
    covered_from: '2024-12-16',
    covered_to: '2026-11-16',
    coverage_reason: null,
  });
});

test('every line of a file is counted, proposed, replaced with what replaces it, or pending', async () => {
  const reporter = await addReporter(reports);
  const stored = await reporter.addAccount();
  const lines = [
    { cents: 25_50n, reference: 'R-1', date: '2026-11-17' },
    { cents: 1_00n, reference: 'R-2', date: '2026-11-17' },
  ];
  const form = { from: '2026-11-17', openingCents: 0n, sequence: 1 };
  const old = await stored.upload(statementFile(lines, { ...form, madeAt: '2026-11-17T20:00:00' }));
  const all = [...lines, { cents: 2_00n, reference: 'R-3', date: '2026-11-17' }];
  const pathOf = (fileId: string): string => `statements/${fileId}/entries`;
  await reports.service.database.admin.query(
    `INSERT INTO statement_uploads (environment_id, upload_id, options_hmac, pepper_version)
     SELECT $1, n, '\\x00', 1 FROM unnest($2::uuid[]) AS n`,
    [reporter.environmentId, [old]],
  );
  const before = await reporter.read(linesContract.ofFile, pathOf(old));
  expect(before.data.map(({ line, state, entry_id: id }) => [line, state, id])).toEqual([
    [1, 'pending', null],
    [2, 'pending', null],
  ]);
  const corrected = await stored.upload(statementFile(all, { ...form, madeAt: '2026-11-18T01:00:00' }));
  await stored.work();
  const replaced = await reporter.read(linesContract.ofFile, `${pathOf(old)}?limit=1`);
  expect(replaced.data).toMatchObject([
    { line: 1, state: 'replaced', entry_id: null, replaced_by: { file_ids: [corrected] } },
  ]);
  const rest = await reporter.read(
    linesContract.ofFile,
    `${pathOf(old)}?limit=1&cursor=${replaced.next_cursor}`,
  );
  expect(rest.data.map(({ line, state }) => [line, state])).toEqual([[2, 'replaced']]);
  expect(rest.has_more).toBe(false);
  expect((await reporter.get(pathOf(corrected))).status).toBe(404);
});

test('a line shows its contributions, and the statements that have it', async () => {
  const reporter = await addReporter(reports, ['25.50']);
  const stored = await reporter.addAccount();
  const line = { cents: 25_50n, id: reporter.ids[0]!, reference: 'R-1', date: '2026-11-17' };
  const form = { from: '2026-11-17', openingCents: 0n, sequence: 1 };
  const old = await stored.upload(statementFile([line], { ...form, madeAt: '2026-11-17T20:00:00' }));
  const other = { cents: 2_00n, reference: 'R-3', date: '2026-11-17' };
  const now = await stored.upload(statementFile([line, other], { ...form, madeAt: '2026-11-18T01:00:00' }));
  await stored.work();
  const { rows } = await reports.service.database.admin.query<{ id: string }>(
    `SELECT entry_id AS id FROM line_outcomes WHERE environment_id = $1 AND outcome = 'matched'`,
    [reporter.environmentId],
  );
  const entry = await reporter.read(linesContract.get, `statements/entries/${rows[0]!.id}`);
  expect(entry).toMatchObject({
    ...{ entry_id: rows[0]!.id, file_id: now, state: 'counted', outcome: 'matched', term: 'matched' },
    allocations: [{ transaction_id: reporter.ids[0], kind: 'payment', amount: '25.50', state: 'confirmed' }],
  });
  const sources = entry.sources.map(({ file_id: id, state, lines }) => `${id} ${state} ${lines}`);
  expect(sources.sort()).toEqual([`${old} replaced 1`, `${now} counted 1`].sort());
});

/** An account with lines of several outcomes. */
async function addLinesToExplain(reporter: Reporter): Promise<StoredDays> {
  const stored = await reporter.addAccount();
  const day = { from: '2026-11-17', openingCents: 0n };
  const [id] = reporter.ids;
  await stored.upload(
    statementFile(
      [
        { cents: 25_50n, id: id!, reference: 'R-1', date: '2026-11-17' },
        { cents: 4_50n, text: 'a gift', reference: 'R-2', date: '2026-11-17' },
        { cents: 5_00n, text: 'to come', reference: 'R-3', date: '2026-11-17', status: 'PDNG' },
        { cents: 26_00n, id: id!, reference: 'R-4', date: '2026-11-17' },
      ],
      day,
    ),
  );
  await stored.work();
  return stored;
}

test('entries to explain are found over all accounts, filtered and in pages, with sentences', async () => {
  const reporter = await addReporter(reports, ['25.50']);
  const stored = [await addLinesToExplain(reporter), await addLinesToExplain(reporter)];
  const path = 'statements/entries?';
  const all = await reporter.read(linesContract.toExplain, path);
  const keyOf = ({ account_id: id, outcome, reason }: (typeof all)['data'][number]) =>
    `${id} ${outcome} ${reason}`;
  const accountIds = stored.map(({ account }) => account.accountId).sort();
  const outcomes = [...new Set(all.data.map(({ outcome }) => outcome))].sort();
  expect(all.data.map(({ account_id: id }) => id)).toEqual(
    accountIds.flatMap((id) => all.data.filter((one) => one.account_id === id).map(() => id)),
  );
  expect(outcomes).toEqual(expect.arrayContaining(['not_booked', 'unknown']));
  expect(all.data.every(({ explanation }) => explanation.length > 10)).toBe(true);
  const paged: string[] = [];
  let cursor = '';
  do {
    const page = await reporter.read(linesContract.toExplain, `${path}limit=2${cursor}`);
    expect(page.data.length).toBeLessThanOrEqual(2);
    paged.push(...page.data.map(keyOf));
    cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
  } while (cursor !== '');
  expect(paged).toEqual(all.data.map(keyOf));
  const count = async (filter: string) =>
    (await reporter.read(linesContract.toExplain, `${path}${filter}`)).data.length;
  expect(await count('outcome=not_booked')).toBe(2);
  expect(await count(`outcome=not_booked&account_id=${accountIds[0]}`)).toBe(1);
  expect(await count('outcome=not_booked&from=2026-11-18')).toBe(0);
  expect(await count('outcome=not_booked&to=2026-11-18')).toBe(2);
  expect(await count('outcome=not_booked&to=2026-11-17')).toBe(0);
  const counted = all.data.filter(({ state }) => state === 'counted').length;
  expect(await count('state=counted')).toBe(counted);
});

test('lists as CSV have no JSON, and name account, statement, file and line', async () => {
  const reporter = await addReporter(reports, ['25.50']);
  const stored = await addLinesToExplain(reporter);
  await addTwoVersions(reporter);
  const { accountId } = stored.account;
  const paths = [
    'statements/entries',
    `statement-accounts/${accountId}/entries?term=matched&from=2026-11-01&to=2026-12-01`,
    daysPath(stored, '2026-11-16', '2026-11-19'),
    'reconciliation/questions',
    `statement-accounts/${accountId}/reconciliation?from=2026-11-17&to=2026-11-19`,
    'statement-accounts',
    'reconciliation',
  ];
  for (const path of paths) {
    const { status, text, headers } = await reporter.csv(path);
    expect([path, status, headers['content-type']]).toEqual([path, 200, 'text/csv; charset=utf-8']);
    const rows: Record<string, string>[] = parse(text, { columns: true });
    expect([path, rows.length]).not.toEqual([path, 0]);
    expect([path, /[{[]/.test(text)]).toEqual([path, false]);
  }
  const entries: Record<string, string>[] = parse((await reporter.csv(paths[1]!)).text, { columns: true });
  expect(entries.find(({ line }) => line === '1')).toMatchObject({
    ...{ account_id: accountId, line: '1', signed_amount: '25.50', transaction_ids: reporter.ids[0] },
    ...{ statement_id: expect.stringMatching(/-/), file_id: expect.stringMatching(/-/) },
  });
});

test('another environment sees nothing of an account', async () => {
  const reporter = await addReporter(reports, ['25.50']);
  const stored = await addLinesToExplain(reporter);
  await addTwoVersions(reporter);
  const stranger = await addReporter(reports);
  const { data } = await reporter.read(linesContract.toExplain, 'statements/entries');
  const { accountId } = stored.account;
  const range = 'from=2026-11-17&to=2026-11-19';
  const notFound = [
    `statement-accounts/${accountId}/days?${range}`,
    `statement-accounts/${accountId}/reconciliation?${range}`,
    `statement-accounts/${accountId}/entries?term=matched&${range}`,
    `statements/entries/${data[0]!.entry_id}`,
    `statements/${data[0]!.file_id}/entries`,
    `contributions/${reporter.ids[0]}/money`,
  ];
  for (const path of notFound) expect([path, (await stranger.get(path)).status]).toEqual([path, 404]);
  const list = z.object({ data: z.array(z.unknown()) });
  for (const path of [
    'statement-accounts',
    'statements/entries',
    `statements/entries?account_id=${accountId}`,
    'reconciliation/questions',
    'reconciliation',
  ]) {
    expect([path, list.parse((await stranger.get(path)).body).data]).toEqual([path, []]);
  }
  // A cursor of another environment selects a place in the own list only.
  const cursor = Buffer.from(JSON.stringify([accountId, '0001-01-01'])).toString('base64url');
  const { body } = await stranger.get(`reconciliation/questions?cursor=${cursor}`);
  expect(list.parse(body).data).toEqual([]);
  const set = await stranger.client
    .raw('put', `/company/integration/statement-accounts/${accountId}`)
    .send({ complete_coverage: true });
  expect(set.status).toBe(404);
});

test.each([
  'statements/entries?outcome=matched',
  'statements/entries?state=replaced',
  'statements/entries?from=2026-11-18&to=2026-11-18',
  'statements/entries?cursor=WzFd',
  'statements/entries?account_id=1',
  'statements/entries/1',
  'statements/1/entries',
  'statement-accounts/019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b/days',
  'statement-accounts/019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b/days?from=2026-11-18&to=2026-11-18',
  'statement-accounts/019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b/days?from=2020-11-18&to=2026-11-18',
  'statement-accounts/019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b/entries?term=x&from=2026-11-18&to=2026-11-19',
  'statement-accounts/019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b/reconciliation?from=x&to=2026-11-19',
  'reconciliation/questions?cursor=',
])('%s is refused', async (path) => {
  const reporter = await addReporter(reports);
  const { status, body } = await reporter.get(path);
  expect([status, (body as { code?: string }).code]).toEqual([400, 'invalid_request']);
});
