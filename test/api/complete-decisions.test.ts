import type { Response } from 'supertest';

import { createClient } from '../support/client';
import { sample } from '../support/full-run';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy';
import { startService, type TestService } from '../support/service';
import { type Line, statementFile, statementsPath, uploadAndWait } from '../support/statement-files';
import { readEntries, readMoney, setUpStatements } from '../support/statement-setup';

/** The decision `complete` with real completions. Contributions are 25.50 dollars. */
const setup = setUpStatements();
const amount = 25_50n;
const part = (id: string, of = '25.50') => ({ transaction_id: id, amount: of });
const pathOf = (entryId: string): string => `${statementsPath}/entries/${entryId}/decisions`;
const decide = (entryId: string, decision: object, client = setup.company.test) =>
  client.post(pathOf(entryId), { reason: 'the donor told us', ...decision });
const complete = { action: 'complete' };
const create = () => setup.contributions.create();

/** Uploads a statement with a line, and returns the id of its entry. */
async function entryOf(line: Line): Promise<string> {
  const { file_id: fileId } = await uploadAndWait(
    setup.company.test,
    statementFile([{ reference: 'R-1', ...line }], { from: '2026-11-20' }),
  );
  return (await readEntries(setup.company.test, fileId))[0]!.entry_id;
}
async function actionsOf(entryId: string): Promise<string[]> {
  const { body } = await setup.company.test.get(pathOf(entryId)).expect(200);
  return (body as { data: { action: string }[] }).data.map(({ action }) => action);
}
const statusOf = async (id: string) => (await setup.contributions.row(id)) as { status: string };
const codeOf = (response: Response) => (response.body as { code: string }).code;

test('needs the scope and the right to complete', async () => {
  const id = await create();
  const entry = await entryOf({ cents: amount, id });
  const { apiKey, apiSecret } = await setup.service.keyPairs.issue({
    ...{ company: setup.company.name, kind: 'test', expiresAt: undefined },
    scopes: ['reconciliation:resolve', 'statements:read'],
  });
  const restricted = createClient(setup.service.server, { apiKey, apiSecret });
  expect(codeOf(await decide(entry, complete, restricted).expect(403))).toBe('scope_missing');
  await setup.contributions.link(await setup.service.addCompany());
  expect(codeOf(await decide(entry, complete).expect(403))).toBe('completion_reserved_for_bank');
  expect([await statusOf(id), await actionsOf(entry)]).toMatchObject([{ status: 'pending' }, []]);
});

test('completes all contributions of an entry, or none and records the refusal', async () => {
  const ids = [await create(), await create(), await create()];
  const entry = await entryOf({ cents: 76_00n, text: 'all' });
  const allocations = [part(ids[0]!), part(ids[1]!), part(ids[2]!, '25.00')];
  await decide(entry, { action: 'split', allocations }).expect(200);
  expect(codeOf(await decide(entry, complete).expect(409))).toBe('amount_mismatch');
  for (const id of ids) expect(await statusOf(id)).toMatchObject({ status: 'pending' });
  expect(await actionsOf(entry)).toEqual(['split']);
  expect(await setup.contributions.events(ids[2]!)).toMatchObject([
    { type: 'contribution.completion_refused' },
  ]);
});

test('a late repeat of an older decision is refused, and completes nothing', async () => {
  const [one, other] = [await create(), await create()];
  const entry = await entryOf({ cents: amount, id: one });
  const link = { action: 'link', allocations: [part(other)] };
  for (const decision of [complete, link, { action: 'unlink' }]) await decide(entry, decision).expect(200);
  for (const late of [complete, link])
    expect(codeOf(await decide(entry, late).expect(409))).toBe('decision_superseded');
  expect(await actionsOf(entry)).toEqual(['unlink', 'link', 'complete']);
  expect(await statusOf(other)).toMatchObject({ status: 'pending' });
  // A person who makes the same decision again gives another reason.
  await decide(entry, { ...link, reason: 'we asked again' }).expect(200);
  expect((await readMoney(setup.company.test, other)).position).toBe('money_without_completion');
});

describe('a process that stops between two completions', () => {
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

  test.each(sample(['request', 'reply'] as const, 1))(
    'at the %s leaves its decision, and a repeat completes the rest',
    async (moment) => {
      const ids = [await create(), await create()];
      const entry = await entryOf({ cents: 2n * amount, text: 'both' });
      await decide(entry, { action: 'split', allocations: ids.map((id) => part(id)) }).expect(200);
      proxy.cutAt(moment, 'complete_transaction');
      await decide(entry, complete, createClient(interrupted.server, setup.company.test));
      proxy.restore();
      const found = await Promise.all(ids.map(statusOf));
      expect(found.filter(({ status }) => status === 'completed')).toHaveLength(moment === 'reply' ? 1 : 0);
      expect(await actionsOf(entry)).toEqual(['complete', 'split']);
      await decide(entry, complete).expect(200);
      for (const id of ids) expect(await statusOf(id)).toMatchObject({ status: 'completed' });
      expect(await actionsOf(entry)).toEqual(['complete', 'split']);
    },
  );
});
