import type { Response } from 'supertest';

import type { Client } from '../support/client';
import { pauseComparison } from '../support/comparison';
import { lockWaits } from '../support/lock-waits';
import { matchAll } from '../support/matching';
import { type Line, statementFile, statementsPath, uploadAndMatch } from '../support/statement-files';
import { type Entry, type Money, readEntries, readMoney, setUpStatements } from '../support/statement-setup';
import { until } from '../support/until';

/** Decisions that arrive late, or concurrently with a void, another decision or another file. */
const setup = setUpStatements({
  settings: {
    DATABASE_LOCK_TIMEOUT_MS: '20000',
    DATABASE_STATEMENT_TIMEOUT_MS: '30000',
    DATABASE_ANSWER_TIMEOUT_MS: '40000',
  },
});

const cents = 25_50n;
const whole = (id: string) => [{ transaction_id: id, amount: '25.50' }];

async function upload(lines: readonly Line[], form: object = { from: '2026-11-20' }) {
  const { file_id: fileId } = await uploadAndMatch(setup.company.test, statementFile(lines, form));
  return { fileId, entries: await readEntries(setup.company.test, fileId) };
}

const decide = (entryId: string | undefined, decision: object, client: Client = setup.company.test) =>
  client.post(`${statementsPath}/entries/${entryId ?? ''}/decisions`, { reason: 'we asked', ...decision });

async function actions(entryId: string | undefined): Promise<string[]> {
  const response: Response = await setup.company.test.get(
    `${statementsPath}/entries/${entryId ?? ''}/decisions`,
  );
  return (response.body as { data: { action: string }[] }).data.map(({ action }) => action);
}

const money = (id: string): Promise<Money> => readMoney(setup.company.test, id);

const voidFile = (fileId: string) =>
  setup.company.test.post(`${statementsPath}/${fileId}/void`, { reason: 'wrong' }).expect(200);

/** Sends `complete`, and does the work while the service checks or completes its contribution. */
async function completeDuring(
  moment: 'check' | 'completion',
  entry: Entry | undefined,
  { id, work }: { id: string; work: () => Promise<unknown> },
): Promise<Response> {
  const { admin } = setup.service.database;
  const { environment_id: environmentId } = (await setup.contributions.row(id)) as { environment_id: number };
  const holdContribution = () =>
    lockRow(
      'SELECT FROM transactions WHERE environment_id = $1 AND transaction_id = $2 FOR UPDATE',
      environmentId,
      id,
    );
  const holdDecisions = () =>
    lockRow('SELECT FROM matching_progress WHERE environment_id = $1 FOR UPDATE', environmentId);
  const waits = (statement: RegExp) =>
    until(`${statement} waits`, async () => (await lockWaits(admin)).some((query) => statement.test(query)));
  const releaseFirst = await (moment === 'check' ? holdContribution() : holdDecisions());
  const deciding = decide(entry?.entry_id, { action: 'complete' }).then((response: Response) => response);
  if (moment === 'check') {
    await waits(/complete_contributions/);
    await work();
    await releaseFirst();
    return deciding;
  }
  await waits(/decide_entry/);
  const release = await holdContribution();
  await releaseFirst();
  // On Citus, the worker runs the second function.
  await waits(/complete_contribution(_of)?\(/);
  await work();
  await release();
  return deciding;
}

/** @returns a function that releases the row */
async function lockRow(statement: string, ...values: unknown[]): Promise<() => Promise<void>> {
  const client = await setup.service.database.admin.connect();
  await client.query('BEGIN');
  await client.query(statement, values);
  return async () => {
    await client.query('COMMIT');
    client.release();
  };
}

describe('a decision that arrives again after a newer one', () => {
  test('is refused, and the newer one stays', async () => {
    const id = await setup.contributions.create();
    const { entries } = await upload([{ cents, text: 'rent', reference: 'R-1' }]);
    const entryId = entries[0]?.entry_id;
    const link = { action: 'link', allocations: whole(id) };
    await decide(entryId, link).expect(200);
    await decide(entryId, { action: 'unlink' }).expect(200);
    const late: Response = await decide(entryId, link).expect(409);
    expect(late.body).toMatchObject({ code: 'decision_superseded' });
    expect((await money(id)).position).toBe('waiting');
    expect(await actions(entryId)).toEqual(['unlink', 'link']);
    // A person who makes the same decision again gives another reason.
    await decide(entryId, { ...link, reason: 'we asked again' }).expect(200);
    expect((await money(id)).position).toBe('money_without_completion');
  });

  test('completes no contribution that the newer one has linked', async () => {
    const [one, other] = [await setup.contributions.create(), await setup.contributions.create()];
    const { entries } = await upload([{ cents, id: one, reference: 'R-1' }]);
    const entryId = entries[0]?.entry_id;
    await decide(entryId, { action: 'complete' }).expect(200);
    await decide(entryId, { action: 'link', allocations: whole(other) }).expect(200);
    await decide(entryId, { action: 'complete' }).expect(409);
    expect(await setup.contributions.row(other)).toMatchObject({ status: 'pending' });
    expect(await money(other)).toMatchObject({ position: 'money_without_completion', is_open: true });
  });
});

describe('a decision concurrent with a void', () => {
  test.each(['complete', 'link'] as const)(
    '%s gets 404 while the void has not taken effect',
    async (action) => {
      const [paid, other] = [await setup.contributions.create(), await setup.contributions.create()];
      const { fileId, entries } = await upload([{ cents, id: paid, reference: 'R-1' }]);
      // The state that a process leaves if it stops after the void.
      await setup.service.database.admin.query(
        `UPDATE statement_files SET voided_at = now(), void_reason = 'wrong', state = 'stored', matched_count = 0,
              claimed_until = now() + interval '1 hour'
        WHERE file_id = $1`,
        [fileId],
      );
      const allocations = action === 'link' ? whole(other) : [];
      const { status } = await decide(entries[0]?.entry_id, { action, allocations });
      await setup.service.database.admin.query('UPDATE statement_files SET claimed_until = NULL');
      expect(status).toBe(404);
      expect(await setup.contributions.row(paid)).toMatchObject({ status: 'pending' });
    },
  );

  test.each(['check', 'completion'] as const)(
    'complete fails during its check and succeeds during its completion: %s',
    async (moment) => {
      const id = await setup.contributions.create();
      const { fileId, entries } = await upload([{ cents, id, reference: 'R-1' }]);
      const work = async () => {
        await voidFile(fileId);
        await matchAll(setup.service);
      };
      const { status } = await completeDuring(moment, entries[0], { id, work });
      const { rows } = await setup.service.database.admin.query(
        'SELECT action FROM reconciliation_decisions WHERE entry_id = $1',
        [entries[0]?.entry_id],
      );
      const outcome = { status, rows, contribution: await setup.contributions.row(id) };
      expect(outcome).toMatchObject(
        moment === 'check'
          ? { status: 404, rows: [], contribution: { status: 'pending' } }
          : { status: 200, rows: [{ action: 'complete' }], contribution: { status: 'completed' } },
      );
    },
  );
});

test('a comparison that read an earlier direction of the account does not overwrite the later result', async () => {
  const id = await setup.contributions.create();
  const { fileId } = await upload([{ cents, id, reference: 'R-1', direction: 'debit' }]);
  await matchAll(setup.service);
  expect((await money(id)).position).toBe('returned_without_credit');
  const { accountId, resume } = await pauseComparison(setup.service, fileId);
  await setup.company.test
    .put(`/company/integration/statement-accounts/${accountId}`, {
      complete_coverage: false,
      direction: 'debit',
    })
    .expect(200);
  await matchAll(setup.service);
  expect((await money(id)).position).toBe('money_without_completion');
  expect(await resume()).toBe(false);
  expect((await money(id)).position).toBe('money_without_completion');
});

describe('a decision concurrent with a complete decision', () => {
  async function decideDuring(moment: 'check' | 'completion') {
    const [id, other] = [await setup.contributions.create(), await setup.contributions.create()];
    const { entries } = await upload([{ cents, id, reference: 'R-1' }]);
    const entryId = entries[0]?.entry_id;
    const work = () => decide(entryId, { action: 'link', allocations: whole(other) }).expect(200);
    const { status, body } = await completeDuring(moment, entries[0], { id, work });
    expect({ status, body }).toMatchObject({ status: 409, body: { code: 'decision_superseded' } });
    expect(await setup.contributions.row(other)).toMatchObject({ status: 'pending' });
    expect(await money(other)).toMatchObject({ position: 'money_without_completion', is_open: true });
    return { id, other, entryId };
  }

  test('stays if it arrives during the check, and nothing is completed', async () => {
    const { id, entryId } = await decideDuring('check');
    expect(await setup.contributions.row(id)).toMatchObject({ status: 'pending' });
    expect(await actions(entryId)).toEqual(['link']);
  });

  test('counts if it arrives during the completion, and a late retry completes nothing', async () => {
    const { id, other, entryId } = await decideDuring('completion');
    expect(await setup.contributions.row(id)).toMatchObject({ status: 'completed' });
    expect(await actions(entryId)).toEqual(['link', 'complete']);
    await decide(entryId, { action: 'complete' }).expect(409);
    expect(await setup.contributions.row(other)).toMatchObject({ status: 'pending' });
    expect(await actions(entryId)).toEqual(['link', 'complete']);
    await decide(entryId, { action: 'complete', reason: 'we asked again' }).expect(200);
    expect(await setup.contributions.row(other)).toMatchObject({ status: 'completed' });
  });
});

describe('a decision about one of several payments with the same reference', () => {
  const named = { cents, text: 'rent', reference: 'SHARED' };

  test('stays with its line when another file states them in another order', async () => {
    const [stated, missing] = [await setup.contributions.create(), await setup.contributions.create()];
    const withId = { cents, id: stated, reference: 'SHARED' };
    const { entries } = await upload([named, withId], { kind: '052', from: '2026-11-20' });
    const unknown = entries.find(({ outcome }) => outcome === 'unknown');
    await decide(unknown?.entry_id, { action: 'link', allocations: whole(missing) }).expect(200);
    const { fileId } = await upload([withId, named]);
    for (const id of [stated, missing]) expect((await money(id)).position).toBe('money_without_completion');
    await voidFile(fileId);
    await matchAll(setup.service);
    for (const id of [stated, missing]) expect((await money(id)).position).toBe('money_without_completion');
  });

  test('stays with its line when another file has more of them', async () => {
    const ids = [
      await setup.contributions.create(),
      await setup.contributions.create(),
      await setup.contributions.create(),
    ];
    const [first, second, missing] = ids as [string, string, string];
    const lineOf = (id: string): Line => ({ cents, id, reference: 'SHARED' });
    const { entries } = await upload([lineOf(first), named], { kind: '052', from: '2026-11-20' });
    const unknown = entries.find(({ outcome }) => outcome === 'unknown');
    await decide(unknown?.entry_id, { action: 'link', allocations: whole(missing) }).expect(200);
    await upload([named, lineOf(second), lineOf(first)]);
    for (const id of ids) expect((await money(id)).position).toBe('money_without_completion');
  });

  test('applies to no other line when a void leaves fewer of them', async () => {
    const [stated, missing] = [await setup.contributions.create(), await setup.contributions.create()];
    const withId = { cents, id: stated, reference: 'SHARED' };
    const { fileId, entries } = await upload([named, withId], { kind: '052', from: '2026-11-20' });
    const unknown = entries.find(({ outcome }) => outcome === 'unknown');
    await decide(unknown?.entry_id, { action: 'link', allocations: whole(missing) }).expect(200);
    await upload([withId, named, { ...named, id: await setup.contributions.create() }]);
    await voidFile(fileId);
    const { fileId: last } = await upload([named, withId], { kind: '054', from: '2026-11-20' });
    await voidFile(last);
    await matchAll(setup.service);
    for (const id of [stated, missing]) expect((await money(id)).position).toBe('money_without_completion');
  });
});
