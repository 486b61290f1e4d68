import type { Response } from 'supertest';

import { type Completions, createCompletions } from '../support/completions';
import { eventsAfterCreation } from '../support/events';
import { sendReturn, sendUndo } from '../support/returns';
import { startService, type TestCompany, type TestService } from '../support/service';
import { verificationOf } from '../support/verification';

/** Recording returns of completed contributions, and undoing them. */
let service: TestService;
let company: TestCompany;
let completions: Completions;

beforeAll(async () => {
  service = await startService({ settings: { DATABASE_ACQUIRE_TIMEOUT_MS: '10000' } });
  company = await service.addCompany();
  completions = await createCompletions(service, company);
});

afterAll(async () => {
  // After all tests, the stored sums match the rows that they are derived from.
  const report = await verificationOf(service.database.operatorUrl);
  expect(report.checks.flatMap(({ violations }) => violations)).toEqual([]);
  await service.stop();
});

const completed = (amount = '25.50'): Promise<string> => completions.createCompleted(amount);

const read = async (id: string): Promise<Record<string, unknown>> =>
  (await completions.read(company.test, id).expect(200)).body as Record<string, unknown>;

const returnIdOf = (response: Response): string => (response.body as { return_id: string }).return_id;
const isReplay = (response: Response): boolean => response.get('Idempotent-Replayed') === 'true';
const netOf = async (id: string): Promise<unknown> => (await read(id))['net_amount'];

async function expectProblem(response: Promise<Response>, status: number, code: string): Promise<void> {
  const { status: actual, body } = await response;
  expect([actual, (body as { code?: string }).code]).toEqual([status, code]);
}

describe('a return', () => {
  test('gets 201 with what was recorded and the sums of the contribution', async () => {
    const id = await completed();
    const sent = {
      kind: 'chargeback',
      code: '4853',
      amount: '5.25',
      bank_reference: 'CB-1',
      value_date: '2026-11-23',
    };
    const response = await sendReturn(company.test, id, sent).expect(201);

    expect(response.body).toEqual({
      ...sent,
      return_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      transaction_id: id,
      currency: 'USD',
      recorded_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      returned_amount: '5.25',
      net_amount: '20.25',
    });
    expect(isReplay(response)).toBe(false);
  });

  test('without a code and a value date shows null for both', async () => {
    const response = await sendReturn(company.test, await completed()).expect(201);
    expect(response.body).toMatchObject({ code: null, value_date: null });
  });

  test('changes the returned and the net amount of the contribution, and not its status', async () => {
    const id = await completed();
    expect(await read(id)).toMatchObject({ returned_amount: '0.00', net_amount: '25.50' });
    await sendReturn(company.test, id, { amount: '5.25' }).expect(201);

    const expected = { status: 'completed', amount: '25.50', returned_amount: '5.25', net_amount: '20.25' };
    expect(await read(id)).toMatchObject(expected);
    const list = await company.test.get('/company/integration/contributions?limit=1000').expect(200);
    const rows = (list.body as { data: { transaction_id: string }[] }).data;
    expect(rows.find(({ transaction_id: listed }) => listed === id)).toMatchObject(expected);
  });

  test('is recorded in an event with its evidence', async () => {
    const id = await completed();
    const sent = {
      kind: 'recall',
      code: 'AC04',
      amount: '1.00',
      bank_reference: 'RC-1',
      value_date: '2026-11-23',
    };
    const { body } = await sendReturn(company.test, id, sent).expect(201);
    expect((await eventsAfterCreation(service.database.admin, id)).at(-1)).toEqual({
      type: 'contribution.returned',
      evidence: {
        return_id: (body as { return_id: string }).return_id,
        kind: 'recall',
        code: 'AC04',
        amount_cents: 100,
        bank_reference: 'RC-1',
        value_date: '2026-11-23',
      },
    });
  });

  test('accepts the transaction_id in another spelling', async () => {
    const id = await completed();
    await sendReturn(company.test, `${id.slice(0, 5).toLowerCase()}-${id.slice(5)}`).expect(201);
    expect(await netOf(id)).toBe('0.00');
  });

  test('does not make a repeated completion fail', async () => {
    const id = await completed();
    await sendReturn(company.test, id).expect(201);
    const response = await completions.complete(company.test, id).expect(200);
    expect(isReplay(response)).toBe(true);
    expect(await netOf(id)).toBe('0.00');
  });

  test('can leave one cent, which another return takes, and then nothing is left', async () => {
    const id = await completed('0.03');
    await sendReturn(company.test, id, { amount: '0.02' }).expect(201);
    await sendReturn(company.test, id, { amount: 0.01 }).expect(201);
    await expectProblem(sendReturn(company.test, id, { amount: '0.01' }), 409, 'return_exceeds_amount');
    expect(await read(id)).toMatchObject({ returned_amount: '0.03', net_amount: '0.00' });
  });
});

describe('a repeated return', () => {
  test('gets the first response again, and changes nothing', async () => {
    const id = await completed();
    const sent = { amount: '5.00', bank_reference: 'RT-A', code: 'R01', value_date: '2026-11-23' };
    const first = await sendReturn(company.test, id, sent).expect(201);
    const before = await completions.row(id);
    const repeat = await sendReturn(company.test, id, { ...sent, amount: '5' }).expect(201);

    expect(isReplay(repeat)).toBe(true);
    expect(repeat.body).toEqual(first.body);
    expect(await completions.row(id)).toEqual(before);
    expect(await eventsAfterCreation(service.database.admin, id)).toHaveLength(2);
  });

  test('with another code or value date keeps the first ones', async () => {
    const id = await completed();
    const sent = { amount: '5.00', bank_reference: 'RT-A', code: 'R01', value_date: '2026-11-23' };
    const first = await sendReturn(company.test, id, sent).expect(201);
    const repeat = await sendReturn(company.test, id, { ...sent, code: 'R02', value_date: '2026-11-24' });
    expect([repeat.status, repeat.body]).toEqual([201, first.body]);
  });

  test('with spaces around the reference is the same return', async () => {
    const id = await completed();
    const first = await sendReturn(company.test, id, {
      amount: '5.00',
      bank_reference: ' RT-A\u00a0',
    }).expect(201);
    expect(first.body).toMatchObject({ bank_reference: 'RT-A' });
    for (const reference of ['RT-A', 'RT-A ', '  RT-A']) {
      const repeat = await sendReturn(company.test, id, { amount: '5.00', bank_reference: reference }).expect(
        201,
      );
      expect(isReplay(repeat)).toBe(true);
      expect(repeat.body).toEqual(first.body);
    }
    expect(await netOf(id)).toBe('20.50');
  });

  test('is found although nothing is left to return', async () => {
    const id = await completed();
    await sendReturn(company.test, id, { bank_reference: 'RT-A' }).expect(201);
    const repeat = await sendReturn(company.test, id, { bank_reference: 'RT-A' }).expect(201);
    expect(isReplay(repeat)).toBe(true);
  });

  test('with another amount gets 409, and records nothing', async () => {
    const id = await completed();
    await sendReturn(company.test, id, { amount: '5.00', bank_reference: 'RT-A' }).expect(201);
    await expectProblem(
      sendReturn(company.test, id, { amount: '5.01', bank_reference: 'RT-A' }),
      409,
      'return_reference_reused',
    );
    expect(await netOf(id)).toBe('20.50');
  });

  test('with another kind or for another contribution is another return', async () => {
    const [id, other] = [await completed(), await completed()];
    const sent = { amount: '5.00', bank_reference: 'RT-A' };
    await sendReturn(company.test, id, sent).expect(201);
    expect(isReplay(await sendReturn(company.test, id, { ...sent, kind: 'refund' }).expect(201))).toBe(false);
    expect(isReplay(await sendReturn(company.test, other, sent).expect(201))).toBe(false);
    expect([await netOf(id), await netOf(other)]).toEqual(['15.50', '20.50']);
  });
});

describe('a rejected return', () => {
  test('of a pending contribution gets 409', async () => {
    const id = await completions.create();
    await expectProblem(sendReturn(company.test, id), 409, 'contribution_not_completed');
    expect(await completions.events(id)).toEqual([]);
  });

  test('that exceeds the amount gets 409, and records nothing', async () => {
    const id = await completed();
    await expectProblem(sendReturn(company.test, id, { amount: '25.51' }), 409, 'return_exceeds_amount');
    expect(await netOf(id)).toBe('25.50');
    expect(await completions.events(id)).toHaveLength(1);
  });

  test.each([
    ['a notification of change', { code: 'C01' }, '/code', 'unsupported_value'],
    ['a code with 36 characters', { code: 'x'.repeat(36) }, '/code', 'invalid_length'],
    ['an unknown kind', { kind: 'loss' }, '/kind', 'unsupported_value'],
    ['no amount', { amount: null as unknown as string }, '/amount', 'invalid_type'],
    ['a negative amount', { amount: '-1.00' }, '/amount', 'invalid_format'],
    ['an amount of zero', { amount: '0.00' }, '/amount', 'out_of_range'],
    ['three decimals', { amount: '1.005' }, '/amount', 'invalid_format'],
    ['an empty reference', { bank_reference: '' }, '/bank_reference', 'invalid_length'],
    ['a reference of spaces', { bank_reference: ' \u00a0 ' }, '/bank_reference', 'invalid_length'],
    [
      'a reference with 141 characters',
      { bank_reference: 'x'.repeat(141) },
      '/bank_reference',
      'invalid_length',
    ],
    ['a date that does not exist', { value_date: '2026-02-30' }, '/value_date', 'invalid_format'],
  ])('with %s gets 400', async (_what, sent, pointer, code) => {
    const { body } = await sendReturn(company.test, await completed(), sent).expect(400);
    expect((body as { errors: unknown[] }).errors).toMatchObject([{ pointer, code }]);
  });

  test('without a body member lists every missing one', async () => {
    const path = `/company/integration/contributions/${await completed()}/returns`;
    const { body } = await company.test.post(path, {}).expect(400);
    expect((body as { errors: { pointer: string; code: string }[] }).errors).toMatchObject([
      { pointer: '/kind', code: 'required' },
      { pointer: '/amount', code: 'required' },
      { pointer: '/bank_reference', code: 'required' },
    ]);
  });
});

describe('the right to record a return', () => {
  test('belongs to the bank that completed, even after its link ended', async () => {
    const owner = await service.addCompany();
    const [bank, another] = [await service.addCompany(), await service.addCompany()];
    const contributions = await createCompletions(service, owner);
    await contributions.link(bank);
    await contributions.link(another);
    const id = await contributions.create();
    await contributions.complete(bank.test, id).expect(200);

    await expectProblem(sendReturn(owner.test, id), 403, 'return_reserved');
    await expectProblem(sendReturn(another.test, id), 403, 'return_reserved');
    await expectProblem(sendReturn(company.test, id), 404, 'transaction_not_found');
    await contributions.unlink(bank);
    const { body } = await sendReturn(bank.test, id).expect(201);
    await expectProblem(
      sendUndo(owner.test, id, (body as { return_id: string }).return_id),
      403,
      'return_reserved',
    );
    expect((await contributions.events(id)).at(-1)).toMatchObject({ actor: bank.name });
  });

  test('does not cover pending contributions, or those that the company completed before the link', async () => {
    const owner = await service.addCompany();
    const bank = await service.addCompany();
    const contributions = await createCompletions(service, owner);
    const [early, pending] = [await contributions.create(), await contributions.create()];
    await contributions.complete(owner.test, early).expect(200);
    await contributions.link(bank);

    await expectProblem(sendReturn(bank.test, pending), 409, 'contribution_not_completed');
    await expectProblem(sendReturn(bank.test, early), 404, 'transaction_not_found');
    await sendReturn(owner.test, early).expect(201);
  });

  test('needs the scope: a pair without it gets 403', async () => {
    const pair = await service.addPair(company, 'test', ['contributions:complete']);
    await expectProblem(sendReturn(pair, await completed()), 403, 'scope_missing');
  });
});

describe('an undo', () => {
  test('gets 201, and the amount counts again', async () => {
    const id = await completed();
    const returned = await sendReturn(company.test, id).expect(201);
    const sent = { reason: 'dishonored', amount: '10.00', bank_reference: 'DH-1', value_date: '2026-11-25' };
    const { body } = await sendUndo(company.test, id, returnIdOf(returned), sent).expect(201);

    expect(body).toEqual({
      ...sent,
      undo_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      return_id: returnIdOf(returned),
      transaction_id: id,
      currency: 'USD',
      recorded_at: expect.stringMatching(/Z$/) as string,
      returned_amount: '15.50',
      net_amount: '10.00',
    });
    expect(await read(id)).toMatchObject({ returned_amount: '15.50', net_amount: '10.00' });
    expect((await eventsAfterCreation(service.database.admin, id)).at(-1)).toEqual({
      type: 'contribution.return_undone',
      evidence: {
        return_id: (body as { undo_id: string }).undo_id,
        undoes: returnIdOf(returned),
        kind: 'dishonored',
        amount_cents: 1000,
        bank_reference: 'DH-1',
        value_date: '2026-11-25',
      },
    });
  });

  test('that is repeated gets the first response again', async () => {
    const id = await completed();
    const returnId = returnIdOf(await sendReturn(company.test, id).expect(201));
    const sent = { bank_reference: 'PA-A' };
    const first = await sendUndo(company.test, id, returnId, sent).expect(201);
    for (const reference of ['PA-A', ' PA-A ']) {
      const repeat = await sendUndo(company.test, id, returnId.toUpperCase(), { bank_reference: reference });
      expect([isReplay(repeat), repeat.body]).toEqual([true, first.body]);
    }
    expect(await netOf(id)).toBe('25.50');
  });

  test('cannot exceed the remaining amount of its return', async () => {
    const id = await completed();
    const returnId = returnIdOf(await sendReturn(company.test, id, { amount: '10.00' }).expect(201));
    await sendReturn(company.test, id, { amount: '15.50' }).expect(201);
    await sendUndo(company.test, id, returnId, { amount: '4.00' }).expect(201);
    await expectProblem(
      sendUndo(company.test, id, returnId, { amount: '6.01' }),
      409,
      'return_exceeds_amount',
    );
    await sendUndo(company.test, id, returnId, { amount: '6.00' }).expect(201);
    expect(await netOf(id)).toBe('10.00');
  });

  test('with the reference of another undo gets 409', async () => {
    const id = await completed();
    const [first, second] = [
      returnIdOf(await sendReturn(company.test, id, { amount: '5.00' }).expect(201)),
      returnIdOf(await sendReturn(company.test, id, { amount: '5.00' }).expect(201)),
    ];
    const sent = { amount: '5.00', bank_reference: 'PA-A' };
    await sendUndo(company.test, id, first, sent).expect(201);
    await expectProblem(sendUndo(company.test, id, second, sent), 409, 'return_reference_reused');
  });

  test('of an unknown return, of an undo, and of a return of another contribution gets 404', async () => {
    const [id, other] = [await completed(), await completed()];
    const returnId = returnIdOf(await sendReturn(company.test, id).expect(201));
    const { body } = await sendUndo(company.test, id, returnId).expect(201);
    const undoId = (body as { undo_id: string }).undo_id;
    const unknown = '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b';
    for (const [transactionId, wrong] of [
      [id, unknown],
      [id, undoId],
      [other, returnId],
    ] as const) {
      await expectProblem(sendUndo(company.test, transactionId, wrong), 404, 'return_not_found');
    }
    expect(await netOf(other)).toBe('25.50');
  });

  test('lets the money be returned again', async () => {
    const id = await completed();
    const returnId = returnIdOf(await sendReturn(company.test, id).expect(201));
    await sendUndo(company.test, id, returnId).expect(201);
    await sendReturn(company.test, id).expect(201);
    expect(await read(id)).toMatchObject({ returned_amount: '25.50', net_amount: '0.00' });
  });
});
