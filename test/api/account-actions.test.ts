import type { Response } from 'supertest';
import { z } from 'zod';

import { answersContract } from '../../src/features/bank-statements/answers/answers.contract';
import { lineDecisionsContract } from '../../src/features/bank-statements/decisions/line-decisions.contract';
import { monthsContract } from '../../src/features/bank-statements/months/months.contract';
import { daysContract } from '../../src/features/bank-statements/reporting/days/days.contract';
import { linesContract } from '../../src/features/bank-statements/reporting/lines/lines.contract';
import { accountRulesContract } from '../../src/features/bank-statements/accounts/account-rules.contract';
import { accountsContract } from '../../src/features/bank-statements/accounts/accounts.contract';
import { uploadsContract } from '../../src/features/bank-statements/uploads/uploads.contract';
import { addReporter, type Reporter, type Reports, startReports } from '../support/account-reports';
import { statementFile, type StatementForm, type Line } from '../support/statement-files';
import { relayAll } from '../support/feed';
import { until } from '../support/until';

let reports: Reports;
beforeAll(async () => {
  reports = await startReports();
});
afterAll(() => reports.stop());

const post = (reporter: Reporter, path: string, body: object): Promise<Response> =>
  reporter.client.raw('post', `/company/integration/${path}`).send(body);

async function send(reporter: Reporter, content: string): Promise<Response> {
  return reporter.client
    .raw('post', '/company/integration/statements')
    .set('Content-Type', 'application/xml')
    .send(content);
}

const file = uploadsContract.voidStatement.responses[200].body;

/** Uploads a file, and waits until its days are compared. Returns its id. */
async function upload(reporter: Reporter, lines: readonly Line[], form: StatementForm): Promise<string> {
  const sent = await send(reporter, statementFile(lines, form));
  expect(sent.status).toBe(202);
  const { file_id: id } = file.parse(sent.body);
  await until(
    'the file is read',
    async () => (await reporter.read(uploadsContract.get, `statements/${id}`)).state === 'read',
  );
  await until('its days are compared', async () => {
    const { rows } = await reports.service.database.admin.query(
      'SELECT FROM account_days WHERE environment_id = $1 AND has_work',
      [reporter.environmentId],
    );
    return rows.length === 0;
  });
  return id;
}

const accountOf = async (reporter: Reporter): Promise<string> =>
  (await reporter.read(accountsContract.list, 'statement-accounts')).data[0]!.account_id;

const range = { from: '2026-11-02', openingCents: 0n, sequence: 1, to: '2026-11-27' };

test('a file is stored, read, listed and voided, and a repeat is the same upload', async () => {
  const reporter = await addReporter(reports);
  const line = { cents: 5_00n, reference: 'R-1', date: '2026-11-03' };
  const id = await upload(reporter, [line], range);
  const again = await send(reporter, statementFile([line], range));
  expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
  expect(file.parse(again.body)).toMatchObject({ file_id: id, state: 'read', statements: 1, entries: 1 });
  const listed = await reporter.read(uploadsContract.list, 'statements');
  expect(listed.data.map(({ file_id: one }) => one)).toEqual([id]);
  expect((await reporter.read(linesContract.ofFile, `statements/${id}/entries`)).data).toHaveLength(1);
  const voided = await post(reporter, `statements/${id}/void`, { reason: 'a wrong account' });
  expect([voided.status, file.parse(voided.body).state]).toEqual([200, 'voided']);
  expect((await reporter.read(linesContract.ofFile, `statements/${id}/entries`)).data).toEqual([]);
  const stranger = await addReporter(reports);
  expect((await stranger.get(`statements/${id}`)).status).toBe(404);
  expect((await post(stranger, `statements/${id}/void`, { reason: 'x' })).status).toBe(404);
});

test('an entry is linked and explained by decisions, one or many, which are listed and undone', async () => {
  const reporter = await addReporter(reports, ['5.00']);
  const [id] = reporter.ids;
  const gift = { text: 'a gift', date: '2026-11-03' };
  await upload(
    reporter,
    [
      { ...gift, cents: 5_00n, reference: 'R-1' },
      { ...gift, cents: 2_00n, reference: 'R-2' },
    ],
    range,
  );
  const { data } = await reporter.read(linesContract.toExplain, 'statements/entries');
  const [five, two] = ['5.00', '2.00'].map((amount) => data.find((one) => one.amount === amount)!.entry_id);
  const path = `statements/entries/${five}/decisions`;
  const link = { action: 'link', allocations: [{ transaction_id: id, amount: '5.00' }], reason: 'asked' };
  const decided = await post(reporter, path, { ...link, seen: 0 });
  expect(decided.status).toBe(200);
  expect(lineDecisionsContract.decide.responses[200].body.parse(decided.body)).toMatchObject({
    ...{ is_new: true, entry: { outcome: 'matched', is_decided: true, term: 'matched' } },
  });
  const repeated = await post(reporter, path, link);
  expect(repeated.body).toMatchObject({ is_new: false });
  const many = await post(reporter, 'statements/entries/decisions', {
    decisions: [
      { entry_id: two, action: 'ignore', reason: 'a transfer' },
      { entry_id: '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b', action: 'ignore', reason: 'no such line' },
    ],
  });
  const outcomes = lineDecisionsContract.decideMany.responses[200].body.parse(many.body).data;
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['decided', 'no_line']);
  expect(outcomes[1]!.detail).toBe('Your statements have no entry with this entry_id.');
  const list = await reporter.read(lineDecisionsContract.list, path);
  expect(list.data).toMatchObject([
    { action: 'link', allocations: [{ transaction_id: id, amount: '5.00' }] },
  ]);
  const old = await post(reporter, path, { action: 'unlink', reason: 'late', seen: 0 });
  const superseded = z.object({ code: z.string(), detail: z.string() }).parse(old.body);
  expect([old.status, superseded.code]).toEqual([409, 'decision_superseded']);
  const newest = list.data[0]!.number;
  expect(superseded.detail).toContain(`The newest decision has the number ${newest}.`);
  const undo = { action: 'undo', reason: 'a mistake', seen: newest };
  expect((await post(reporter, path, undo)).status).toBe(200);
  const stranger = await addReporter(reports);
  expect((await post(stranger, path, { action: 'ignore', reason: 'x' })).status).toBe(404);
  expect((await stranger.get(path)).status).toBe(404);
});

test('a decision whose entry disappeared is a question, which undo ends', async () => {
  const reporter = await addReporter(reports);
  const day = { from: '2026-11-03', openingCents: 0n, sequence: 1 };
  const file = await upload(reporter, [{ cents: 5_00n, text: 'rent', date: '2026-11-03' }], day);
  const { data } = await reporter.read(linesContract.toExplain, 'statements/entries');
  const path = `statements/entries/${data[0]!.entry_id}/decisions`;
  await post(reporter, path, { action: 'ignore', reason: 'a transfer' });
  await post(reporter, `statements/${file}/void`, { reason: 'a wrong account' });
  const questions = async () =>
    (await reporter.read(daysContract.questions, 'reconciliation/questions')).data.map((one) => [
      ...[one.kind, one.from, one.entry_id],
    ]);
  const lost = ['decision_without_line', '2026-11-03', data[0]!.entry_id];
  await upload(reporter, [], day);
  expect(await questions()).toEqual([lost]);
  for (const isNew of [true, false]) {
    const undone = await post(reporter, path, { action: 'undo', reason: 'gone' });
    expect([undone.status, undone.body]).toEqual([200, { entry: null, is_new: isNew }]);
  }
  expect(await questions()).toEqual([]);
});

test('a question is answered as the days show it, and the answer is taken back', async () => {
  const reporter = await addReporter(reports);
  const line = { reference: 'R-1', date: '2026-11-03' };
  const day = { from: '2026-11-03', openingCents: 0n, sequence: 1 };
  await upload(reporter, [{ ...line, cents: 5_00n }], day);
  await upload(reporter, [{ ...line, cents: 6_00n }], day);
  const [question] = (await reporter.read(daysContract.questions, 'reconciliation/questions')).data;
  const { from, versions, choices, account_id: accountId } = question!;
  const path = `statement-accounts/${accountId}/days/${from}/choice`;
  const version = choices.find(({ is_chosen: isChosen }) => !isChosen)!.version;
  const answer = { kind: 'version', version, among: versions, reason: 'the bank says so' };
  const other = await post(reporter, path, { ...answer, among: [version] });
  expect([other.status, (other.body as { code: string }).code]).toEqual([409, 'question_changed']);
  const given = await post(reporter, path, answer);
  expect([given.status, given.body]).toEqual([200, { is_new: true }]);
  expect((await reporter.read(daysContract.questions, 'reconciliation/questions')).data).toEqual([]);
  const list = await reporter.read(answersContract.list, path);
  expect(list.data).toMatchObject([{ kind: 'version', version, reason: 'the bank says so' }]);
  const undone = await post(reporter, path, { kind: 'undo', reason: 'wrong' });
  expect(undone.status).toBe(200);
  const asked = await reporter.read(daysContract.questions, 'reconciliation/questions');
  expect(asked.data.map(({ kind }) => kind)).toEqual(['two_versions']);
  const stranger = await addReporter(reports);
  expect((await post(stranger, path, answer)).status).toBe(404);
  for (const [body, pointer] of [
    [{ kind: 'version', version, reason: 'x' }, '/among'],
    [{ kind: 'version', among: versions, reason: 'x' }, '/version'],
    [{ kind: 'accept', reason: 'x' }, '/gap'],
  ] as const) {
    const refused = await post(reporter, path, body);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringContaining(pointer)]);
  }
});

test('a newer statement with other lines is an event, and the day has its time', async () => {
  const reporter = await addReporter(reports);
  const day = { from: '2026-11-03', openingCents: 0n, sequence: 1 };
  const line = { reference: 'R-1', date: '2026-11-03' };
  await upload(reporter, [{ ...line, cents: 5_00n }], { ...day, madeAt: '2026-11-04T01:00:00' });
  await upload(reporter, [{ ...line, cents: 6_00n }], { ...day, madeAt: '2026-11-05T01:00:00' });
  await relayAll(reports.service.database.admin);
  const { body } = await reporter.get('events?type=statement_day.changed');
  const [{ timestamp, data: change }] = (body as { data: [{ timestamp: string; data: object }] }).data;
  const accountId = await accountOf(reporter);
  expect(change).toEqual({ account_id: accountId, day: '2026-11-03', lines_gone: 1, lines_added: 1 });
  const path = `statement-accounts/${accountId}/days?from=2026-11-03&to=2026-11-05`;
  const { data: days } = await reporter.read(daysContract.list, path);
  expect(days.map(({ changed_at: at }) => at)).toEqual([timestamp, null]);
});

test('a month says why it is open, is closed with its numbers, refuses changes, and is reopened', async () => {
  const reporter = await addReporter(reports, ['5.00']);
  const payment = { cents: 5_00n, id: reporter.ids[0]!, reference: 'R-1', date: '2026-10-05' };
  const october = { from: '2026-10-01', to: '2026-10-30', openingCents: 0n, sequence: 1 };
  const fileId = await upload(reporter, [payment], october);
  const accountId = await accountOf(reporter);
  const open = await reporter.read(monthsContract.canClose, 'reconciliation/can-close?month=2026-12');
  expect(open.data[0]).toMatchObject({
    ...{ account_id: null, kind: 'month_not_over', text: 'The month is not over.' },
  });
  const refused = await post(reporter, 'reconciliation/months/2026-12/close', { reason: 'x' });
  expect([refused.status, (refused.body as { detail: string }).detail]).toEqual([
    409,
    expect.stringContaining('The month is not over.'),
  ]);
  const now = await reporter.read(monthsContract.canClose, 'reconciliation/can-close?month=2026-10');
  expect(now).toEqual({ month: '2026-10', can_close: true, entries_to_explain: 0, data: [] });
  const closed = await post(reporter, 'reconciliation/months/2026-10/close', { reason: 'all done' });
  expect([closed.status, closed.body]).toEqual([200, expect.anything()]);
  const numbers = [
    { account_id: accountId, opening_balance: '0.00', matched: '5.00', closing_balance: '5.00' },
  ];
  expect(monthsContract.close.responses[200].body.parse(closed.body)).toMatchObject({
    ...{ is_closed: true, numbers, changes: [{ kind: 'closed', reason: 'all done', numbers }] },
  });
  const voided = await post(reporter, `statements/${fileId}/void`, { reason: 'x' });
  expect([voided.status, (voided.body as { code: string }).code]).toEqual([409, 'month_closed']);
  const answer = { kind: 'undo', reason: 'x' };
  const answered = await post(reporter, `statement-accounts/${accountId}/days/2026-10-01/choice`, answer);
  expect([answered.status, (answered.body as { code: string }).code]).toEqual([409, 'month_closed']);
  const turned = await reporter.client
    .raw('put', `/company/integration/statement-accounts/${accountId}`)
    .send({ complete_coverage: true, direction: 'debit' });
  expect([turned.status, (turned.body as { detail: string }).detail]).toEqual([
    409,
    'Another direction would change a closed month. Reopen the month first.',
  ]);
  const reopened = await post(reporter, 'reconciliation/months/2026-10/reopen', { reason: 'a correction' });
  expect(monthsContract.reopen.responses[200].body.parse(reopened.body).is_closed).toBe(false);
  const shown = await reporter.read(monthsContract.get, 'reconciliation/months/2026-10');
  expect(shown.changes.map(({ kind }) => kind)).toEqual(['reopened', 'closed']);
  const stranger = await addReporter(reports);
  const theirs = await stranger.read(monthsContract.get, 'reconciliation/months/2026-10');
  expect(theirs).toEqual({ month: '2026-10', is_closed: false, numbers: [], changes: [] });
  const problem = z.object({ code: z.string() });
  for (const month of ['2026-13', '2026-1', 'x']) {
    const response = await reporter.get(`reconciliation/can-close?month=${month}`);
    expect([month, response.status, problem.parse(response.body).code]).toEqual([
      month,
      400,
      'invalid_request',
    ]);
  }
});

test('entries with a code are charges by a rule of the account, until it ends', async () => {
  const reporter = await addReporter(reports);
  const fee = { cents: 1_00n, direction: 'debit', date: '2026-11-03', subFamily: 'OTHR' } as const;
  await upload(reporter, [{ ...fee, text: 'monthly', reference: 'R-1' }], range);
  const [entry] = (await reporter.read(linesContract.toExplain, 'statements/entries')).data;
  const path = `/company/integration/statement-accounts/${entry!.account_id}/rules`;
  const put = (client: Reporter, outcome: string) =>
    client.client
      .raw('put', path)
      .send({ code: entry!.bank_code, direction: 'debit', outcome, reason: 'fees' });
  const set = await put(reporter, 'charge');
  expect(accountRulesContract.set.responses[200].body.parse(set.body).data).toMatchObject([
    { code: entry!.bank_code, direction: 'debit', outcome: 'charge', reason: 'fees' },
  ]);
  expect([(await put(reporter, 'none')).body, (await put(reporter, 'none')).status]).toEqual([
    { data: [], has_more: false },
    409,
  ]);
  const stranger = await addReporter(reports);
  expect([(await put(stranger, 'charge')).status, (await stranger.client.raw('get', path)).status]).toEqual([
    404, 404,
  ]);
  const number = await post(reporter, `statement-accounts/${entry!.account_id}/numbers`, {
    ...{ other_account_id: '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b', reason: 'x' },
  });
  expect(number.status).toBe(404);
  const remove = (other: string) =>
    reporter.client
      .raw('delete', `/company/integration/statement-accounts/${entry!.account_id}/numbers/${other}`)
      .send();
  expect((await remove('019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b')).status).toBe(404);
  // It was no further number, so nothing is left to remove.
  expect((await remove(entry!.account_id)).status).toBe(204);
});

test('actions need their scopes', async () => {
  const reporter = await addReporter(reports);
  const client = await reports.service.addPair(reporter.company, 'test', ['statements:read']);
  const status = async (path: string, body: object) =>
    (await client.raw('post', `/company/integration/${path}`).send(body)).status;
  const id = '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b';
  expect([
    await status(`statements/${id}/void`, { reason: 'x' }),
    await status(`statements/entries/${id}/decisions`, { action: 'ignore', reason: 'x' }),
    await status('statements/entries/decisions', { decisions: [] }),
    await status(`statement-accounts/${id}/days/2026-11-03/choice`, { kind: 'undo', reason: 'x' }),
    await status('reconciliation/months/2026-10/close', { reason: 'x' }),
    await status('reconciliation/months/2026-10/reopen', { reason: 'x' }),
  ]).toEqual([403, 403, 403, 403, 403, 403]);
});
