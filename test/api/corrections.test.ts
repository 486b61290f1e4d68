import type { Response } from 'supertest';

import type { Client } from '../support/client';
import { type Completions, createCompletions } from '../support/completions';
import { relayAll } from '../support/feed';
import { operate } from '../support/operations';
import { sendReturn, sendUndo } from '../support/returns';
import { statementFile, uploadAndWait } from '../support/statement-files';
import { startService, type TestCompany, type TestService } from '../support/service';
import { countAll, type ReadSums, type ReadTotals, recentDays } from '../support/totals';
import { verificationOf } from '../support/verification';

/** Taking completions back, completing again, and repeats of a contribution without net amount. */
let service: TestService;
let company: TestCompany;
let wrong: TestCompany;
let right: TestCompany;
let completions: Completions;

beforeEach(async () => {
  service = await startService({ settings: { DATABASE_ACQUIRE_TIMEOUT_MS: '10000' } });
  company = await service.addCompany();
  wrong = await service.addCompany('Wrong Bank');
  right = await service.addCompany('Right Bank');
  completions = await createCompletions(service, company);
});

afterEach(async () => {
  try {
    await relayAll(service.database.admin);
    const report = await verificationOf(service.database.operatorUrl);
    expect(report.checks.flatMap(({ violations }) => violations)).toEqual([]);
  } finally {
    await service.stop();
  }
});

const base = '/company/integration/contributions';
const correct = (client: Client, id: string, reason = 'wrong contribution', completedAt?: string) =>
  client.post(`${base}/${id}/correction`, {
    reason,
    ...(completedAt !== undefined && { completed_at: completedAt }),
  });
const read = async (id: string, client = company.test): Promise<Record<string, unknown>> =>
  (await completions.read(client, id).expect(200)).body as Record<string, unknown>;
const isReplay = (response: Response): boolean => response.get('Idempotent-Replayed') === 'true';
const codeOf = ({ status, body }: Response): unknown[] => [status, (body as { code?: string }).code];
const eventTypes = async (id: string): Promise<string[]> => {
  const { rows } = await service.database.admin.query<{ type: string }>(
    `SELECT type FROM events WHERE transaction_id = $1 AND type <> 'contribution.created'
      ORDER BY recorded_at, event_id`,
    [id],
  );
  return rows.map(({ type }) => type.replace('contribution.', ''));
};
const feedOf = async (client: Client): Promise<string[]> => {
  await relayAll(service.database.admin);
  const { body } = await client.get('/company/integration/events').expect(200);
  return (body as { data: { type: string }[] }).data.map(({ type }) => type);
};
async function totalsOf(client: Client, basis = 'created'): Promise<ReadSums> {
  await countAll(service.database.admin);
  const { body } = await client.get(`${base}/summary?${recentDays()}&basis=${basis}`).expect(200);
  return (body as ReadTotals).total;
}

describe('a correction', () => {
  test('takes the whole net amount back, is no return, and keeps the status', async () => {
    const id = await completions.createCompleted('25.50', { bank_reference: 'FT-1' });
    const response = await correct(company.test, id).expect(201);
    const { corrected_at: correctedAt } = response.body as { corrected_at: string };
    expect(response.body).toEqual({ transaction_id: id, corrected_at: correctedAt });
    expect(await read(id)).toMatchObject({
      status: 'completed',
      amount: '25.50',
      returned_amount: '0.00',
      net_amount: '0.00',
      corrected_at: correctedAt,
      completed_by_you: true,
    });
    expect(await eventTypes(id)).toEqual(['completed', 'corrected']);
    expect(await totalsOf(company.test)).toMatchObject({
      contributions: 1,
      completed_contributions: 1,
      completed_amount: '25.50',
      returned_amount: '0.00',
      corrected_amount: '25.50',
      net_amount: '0.00',
    });
    const { rows } = await service.database.admin.query(
      'SELECT reason, actor_api_key IS NOT NULL AS by_pair, actor_login FROM corrections',
    );
    expect(rows).toEqual([{ reason: 'wrong contribution', by_pair: true, actor_login: null }]);
  });

  test('is repeated without effect, also with another reason while it is in force', async () => {
    const id = await completions.createCompleted();
    const first = await correct(company.test, id).expect(201);
    for (const reason of ['wrong contribution', 'another']) {
      const repeat = await correct(company.test, id, reason).expect(201);
      expect(repeat.body).toEqual(first.body);
      expect(isReplay(repeat)).toBe(true);
    }
    expect(await eventTypes(id)).toEqual(['completed', 'corrected']);
  });

  test('a late repeat never takes the next completion back, and one that names it does', async () => {
    const id = await completions.createCompleted('25.50', { bank_reference: 'FT-1' });
    const { completed_at: first } = await read(id);
    await correct(company.test, id).expect(201);
    // Answered by the correction in force, whose reason is another one.
    await correct(company.test, id, 'the same mistake').expect(201);
    await completions.complete(company.test, id, { bank_reference: 'FT-2' }).expect(200);
    const { completed_at: second } = await read(id);
    expect(isReplay(await correct(company.test, id).expect(201))).toBe(true);
    expect(isReplay(await correct(company.test, id, 'any', first as string).expect(201))).toBe(true);
    for (const time of [undefined, '2026-11-20T00:00:00.000Z']) {
      const late = await correct(company.test, id, 'the same mistake', time);
      expect(codeOf(late)).toEqual([409, 'correction_ambiguous']);
    }
    expect(await read(id)).toMatchObject({ net_amount: '25.50', corrected_at: null });
    const again = () => correct(company.test, id, 'wrong again', second as string).expect(201);
    expect([isReplay(await again()), isReplay(await again())]).toEqual([false, true]);
    expect(await read(id)).toMatchObject({ net_amount: '0.00' });
    expect(await eventTypes(id)).toEqual(['completed', 'corrected', 'completed', 'corrected']);
  });

  test('an operator corrects, the party completes again, and its first correction arrives late', async () => {
    const id = await completions.createCompleted('25.50', { bank_reference: 'FT-1' });
    await operate(service.database, ({ corrections }) => corrections.correct(id, 'by the operator'));
    await completions.complete(company.test, id, { bank_reference: 'FT-2' }).expect(200);
    expect(codeOf(await correct(company.test, id))).toEqual([409, 'correction_ambiguous']);
    expect(await read(id)).toMatchObject({ net_amount: '25.50' });
  });

  test('is refused for a pending contribution, one with returns, and to others', async () => {
    const pending = await completions.create();
    expect(codeOf(await correct(company.test, pending))).toEqual([409, 'contribution_not_completed']);
    const returned = await completions.createCompleted();
    const { body } = await sendReturn(company.test, returned).expect(201);
    expect(codeOf(await correct(company.test, returned))).toEqual([409, 'contribution_has_returns']);
    await sendUndo(company.test, returned, (body as { return_id: string }).return_id).expect(201);
    expect(codeOf(await correct(company.test, returned))).toEqual([409, 'contribution_has_returns']);
    expect(codeOf(await correct(right.test, returned))).toEqual([404, 'transaction_not_found']);
    await completions.link(right);
    const banks = await completions.create();
    await completions.complete(right.test, banks).expect(200);
    expect(codeOf(await correct(company.test, banks))).toEqual([403, 'correction_reserved']);
  });

  test('leaves nothing to return', async () => {
    const id = await completions.createCompleted();
    await correct(company.test, id).expect(201);
    expect(codeOf(await sendReturn(company.test, id))).toEqual([409, 'contribution_not_completed']);
  });

  test('ends the support, and the next completion resumes it', async () => {
    const id = await completions.createCompleted('25.50', { bank_reference: 'FT-1' });
    const ended = async (): Promise<unknown> =>
      (await service.database.admin.query('SELECT ended_at IS NOT NULL AS ended FROM supports')).rows;
    await correct(company.test, id).expect(201);
    expect(await ended()).toEqual([{ ended: true }]);
    await completions.complete(company.test, id, { bank_reference: 'FT-2' }).expect(200);
    expect(await ended()).toEqual([{ ended: false }]);
  });

  test('counts as no completion for the position of the money', async () => {
    const [unpaid, paid] = [await completions.createCompleted(), await completions.createCompleted()];
    const line = { cents: 25_50n, id: paid, reference: 'S-1' };
    await uploadAndWait(company.test, statementFile([line], { from: '2026-11-20' }));
    const positionOf = async (id: string): Promise<unknown> =>
      ((await company.test.get(`${base}/${id}/money`).expect(200)).body as { position: string }).position;
    expect(await positionOf(paid)).toBe('matched');
    for (const id of [unpaid, paid]) await correct(company.test, id).expect(201);
    expect([await positionOf(unpaid), await positionOf(paid)]).toEqual([
      'waiting',
      'money_without_completion',
    ]);
    await completions.complete(company.test, paid, { bank_reference: 'S-1' }).expect(200);
    expect(await positionOf(paid)).toBe('matched');
  });

  test('concurrent corrections, returns and completions leave one consistent state', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, () => completions.createCompleted()));
    await Promise.all(
      ids.flatMap((id, at) => [
        correct(company.test, id).then(),
        correct(company.test, id, `reason ${at}`).then(),
        sendReturn(company.test, id, { bank_reference: `RT-${at}` }).then(),
        completions.complete(company.test, id, { bank_reference: `N-${at}` }).then(),
        completions.complete(company.test, id, { bank_reference: `N-${at}` }).then(),
      ]),
    );
    for (const id of ids) {
      const { net_amount: net, returned_amount: returned, corrected_at: correctedAt } = await read(id);
      if (correctedAt !== null) expect([net, returned]).toEqual(['0.00', '0.00']);
      else expect(['25.50', '0.00']).toContain(net);
    }
  });
});

describe('a wrong bank completes, and the right one completes after the correction', () => {
  async function completedByWrongBank(): Promise<string> {
    await completions.link(wrong);
    const id = await completions.create();
    await completions.complete(wrong.test, id, { bank_reference: 'W-1' }).expect(200);
    await completions.unlink(wrong);
    await completions.link(right);
    return id;
  }

  test('the right bank counts as the one that completed, for repeats, contests and returns', async () => {
    const id = await completedByWrongBank();
    expect(codeOf(await completions.complete(right.test, id))).toEqual([404, 'transaction_not_found']);
    await correct(wrong.test, id).expect(201);
    // It sees the corrected contribution, as it sees pending ones.
    const seen = { completed_by_you: false, net_amount: '0.00', bank_reference: null };
    expect(await read(id, right.test)).toMatchObject(seen);
    expect(await read(id)).toMatchObject({ bank_reference: 'W-1' });
    expect(await completions.listed(right.test)).toEqual([id]);
    expect(await completions.listed(right.test, 'bank_reference=W-1')).toEqual([]);
    expect(await completions.listed(company.test, 'bank_reference=W-1')).toEqual([id]);
    expect(await totalsOf(right.test)).toMatchObject({ contributions: 1, corrected_amount: '25.50' });

    const completed = await completions.complete(right.test, id).expect(200);
    expect(isReplay(completed)).toBe(false);
    expect(completed.body).toMatchObject({ message: 'The transaction was updated to completed.' });
    expect(await read(id, right.test)).toMatchObject({
      completed_by_you: true,
      net_amount: '25.50',
      corrected_at: null,
      bank_reference: null,
    });
    expect(isReplay(await completions.complete(right.test, id).expect(200))).toBe(true);
    const retry = await completions.complete(wrong.test, id, { bank_reference: 'W-1' });
    expect(codeOf(retry)).toEqual([409, 'completed_by_another']);
    expect(codeOf(await correct(wrong.test, id, 'late'))).toEqual([403, 'correction_reserved']);
    expect(codeOf(await sendReturn(wrong.test, id))).toEqual([403, 'return_reserved']);
    await sendReturn(right.test, id).expect(201);
    expect(await eventTypes(id)).toEqual([
      ...['completed', 'corrected', 'completed', 'completion_contested', 'returned'],
    ]);
  });

  test('the totals count the contribution once, for the bank that completed it last', async () => {
    const id = await completedByWrongBank();
    for (const basis of ['created', 'completed']) {
      expect(await totalsOf(wrong.test, basis)).toMatchObject({ net_amount: '25.50' });
    }
    await correct(wrong.test, id).expect(201);
    await completions.complete(right.test, id, { bank_reference: 'R-1' }).expect(200);
    for (const basis of ['created', 'completed']) {
      const counted = { contributions: 1, corrected_amount: '0.00', net_amount: '25.50' };
      expect(await totalsOf(company.test, basis)).toMatchObject(counted);
      expect(await totalsOf(right.test, basis)).toMatchObject(counted);
    }
  });

  test('every party gets the events', async () => {
    const id = await completedByWrongBank();
    await correct(wrong.test, id).expect(201);
    await completions.complete(right.test, id).expect(200);
    const ofContribution = (types: string[]) => types.filter((type) => type.startsWith('contribution.'));
    const [created, completed, corrected] = ['created', 'completed', 'corrected'].map(
      (type) => `contribution.${type}`,
    );
    expect(ofContribution(await feedOf(company.test))).toEqual([created, completed, corrected, completed]);
    // Its link covered the creation.
    expect(ofContribution(await feedOf(wrong.test))).toEqual([created, completed, corrected, completed]);
    expect(ofContribution(await feedOf(right.test))).toEqual([corrected, completed]);
  });

  test('after the mistaken link is voided and an operator corrects, only the right bank completes', async () => {
    await completions.link(wrong);
    const id = await completions.create();
    await completions.complete(wrong.test, id, { bank_reference: 'W-1' }).expect(200);
    await operate(service.database, ({ bankLinks }) =>
      bankLinks.void({ kind: 'test', company: company.name, bank: wrong.name }, undefined),
    );
    await completions.link(right);
    await operate(service.database, ({ corrections }) => corrections.correct(id, 'the wrong bank'));
    const late = await completions.complete(wrong.test, id, { bank_reference: 'W-2' }).expect(200);
    expect(late.body).toMatchObject({
      net_amount: '0.00',
      message: expect.stringContaining('You cannot complete it today') as string,
    });
    const complete = () => completions.complete(right.test, id, { bank_reference: 'R-1' }).expect(200);
    expect([isReplay(await complete()), isReplay(await complete())]).toEqual([false, true]);
    const retry = await completions.complete(wrong.test, id, { bank_reference: 'W-1' });
    expect(codeOf(retry)).toEqual([409, 'completed_by_another']);
    expect(await read(id)).toMatchObject({ net_amount: '25.50', bank_reference: 'R-1' });
    expect(codeOf(await completions.read(wrong.test, id))).toEqual([404, 'transaction_not_found']);
    expect((await feedOf(wrong.test)).filter((type) => type.startsWith('contribution.'))).toEqual(
      ['completed', 'corrected', 'completion_repeated'].map((type) => `contribution.${type}`),
    );
  });

  test('a party that may not complete it today completes nothing, and becomes a case', async () => {
    const id = await completions.createCompleted('25.50', { bank_reference: 'FT-1' });
    await completions.link(right);
    await correct(company.test, id).expect(201);
    const again = await completions.complete(company.test, id, { bank_reference: 'FT-2' }).expect(200);
    expect(again.body).toMatchObject({ net_amount: '0.00' });
    expect(await eventTypes(id)).toEqual(['completed', 'corrected', 'completion_repeated']);
    await completions.complete(right.test, id).expect(200);
    expect(await read(id)).toMatchObject({ net_amount: '25.50', completed_by_you: false });
    const late = await completions.complete(company.test, id, { bank_reference: 'FT-2' });
    expect(codeOf(late)).toEqual([403, 'completion_reserved_for_bank']);
  });
});

describe('the old request again, unchanged, while the net amount is zero', () => {
  const old = { amount: '25.50', bank_reference: 'FT-1', value_date: '2026-11-20' };
  const ends: Record<string, (id: string) => Promise<unknown>> = {
    correction: (id) => correct(company.test, id).expect(201),
    ...Object.fromEntries(
      ['return', 'reversal', 'chargeback', 'refund', 'recall'].map((kind) => [
        kind,
        (id: string) => sendReturn(company.test, id, { kind }).expect(201),
      ]),
    ),
  };

  test.each(Object.keys(ends))('adds nothing after a %s, and becomes a case', async (name) => {
    for (const evidence of [{}, old]) {
      const id = await completions.createCompleted('25.50', evidence);
      await ends[name]!(id);
      const retry = await completions.complete(company.test, id, evidence).expect(200);
      expect(isReplay(retry)).toBe(true);
      expect(retry.body).toMatchObject({
        status: 'completed',
        net_amount: '0.00',
        message: expect.stringContaining('0.00') as string,
      });
      expect(await read(id)).toMatchObject({ net_amount: '0.00' });
      expect((await eventTypes(id)).at(-1)).toBe('completion_repeated');
    }
  });

  test('as a line of a file, it adds nothing either, and a new reference does', async () => {
    const [corrected, returned] = [
      await completions.createCompleted('25.50', old),
      await completions.createCompleted('25.50', old),
    ];
    await correct(company.test, corrected).expect(201);
    await sendReturn(company.test, returned).expect(201);
    const send = async (evidence: object): Promise<string[]> => {
      const lines = [corrected, returned].map((id) => JSON.stringify({ transaction_id: id, ...evidence }));
      const { text } = await company.test
        .post(`${base}/completions`)
        .set('Content-Type', 'application/x-ndjson')
        .send(lines.join('\n'))
        .expect(200);
      return text
        .trim()
        .split('\n')
        .slice(0, 2)
        .map((line) => (JSON.parse(line) as { outcome: string }).outcome);
    };
    expect(await send(old)).toEqual(['replayed', 'replayed']);
    for (const id of [corrected, returned]) expect(await read(id)).toMatchObject({ net_amount: '0.00' });
    expect(await send({ ...old, bank_reference: 'FT-2' })).toEqual(['completed', 'completed']);
    for (const id of [corrected, returned]) expect(await read(id)).toMatchObject({ net_amount: '25.50' });
    expect(await send({ ...old, bank_reference: 'FT-2' })).toEqual(['replayed', 'replayed']);
    for (const id of [corrected, returned]) expect(await read(id)).toMatchObject({ net_amount: '25.50' });
  });
});

test('a completion with a new reference pays all open returns again, oldest first', async () => {
  const id = await completions.createCompleted('25.50', { bank_reference: 'FT-1' });
  const sent = [];
  for (const [at, amount] of ['5.50', '8.00', '12.00'].entries()) {
    const { body } = await sendReturn(company.test, id, { amount, bank_reference: `RT-${at}` }).expect(201);
    sent.push((body as { return_id: string }).return_id);
  }
  await sendUndo(company.test, id, sent[1]!, { amount: '3.00', reason: 'chargeback_won' }).expect(201);
  await sendReturn(company.test, id, { amount: '3.00', bank_reference: 'RT-3' }).expect(201);
  expect(await read(id)).toMatchObject({ net_amount: '0.00' });
  // References that are known prove no new payment.
  for (const reference of ['FT-1', 'RT-0', 'RT-3']) {
    const repeat = await completions.complete(company.test, id, { bank_reference: reference }).expect(200);
    expect(repeat.body).toMatchObject({ net_amount: '0.00' });
  }
  const again = { bank_reference: 'FT-2', value_date: '2026-11-28' };
  const paid = await completions.complete(company.test, id, again).expect(200);
  expect(isReplay(paid)).toBe(false);
  expect(paid.body).not.toHaveProperty('net_amount');
  expect(await read(id)).toMatchObject({ net_amount: '25.50', returned_amount: '0.00' });
  const { rows } = await service.database.admin.query(
    `SELECT u.amount_cents::integer AS cents, u.bank_reference, u.value_date::text, r.bank_reference AS undone
       FROM money_returns u JOIN money_returns r ON r.environment_id = u.environment_id AND r.return_id = u.undoes
      WHERE u.kind = 'paid_again' ORDER BY u.recorded_at`,
  );
  expect(rows).toEqual(
    [
      [550, 'RT-0'],
      [500, 'RT-1'],
      [1_200, 'RT-2'],
      [300, 'RT-3'],
    ].map(([cents, undone]) => ({ cents, ...again, undone })),
  );
  const before = await eventTypes(id);
  expect(isReplay(await completions.complete(company.test, id, again).expect(200))).toBe(true);
  expect(await eventTypes(id)).toEqual(before);
  // While a return is open, the same request contradicts it.
  await sendReturn(company.test, id, { amount: '0.01' }).expect(201);
  expect(isReplay(await completions.complete(company.test, id, again).expect(200))).toBe(true);
  const since = ['returned', 'completion_repeated'];
  expect((await eventTypes(id)).slice(before.length)).toEqual(since);
});
