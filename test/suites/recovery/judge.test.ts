import type { Contribution, Step } from './history';
import { judge, type Row } from './judge';

const key = { apiKey: 'cpk_test_x', apiSecret: 'cps_test_x' };
const environment = {
  environmentId: 7,
  company: key,
  completer: key,
  completerEnvironmentId: 7,
  hasBank: false,
  stranger: key,
};
const mark = { before: 10, after: 12 };

const step = (sent: number, acknowledged?: number): Step => ({
  sent,
  acknowledged,
  acknowledgedAtMs: acknowledged,
});

function contribution(create: Step, completion?: Step): Contribution {
  return {
    environment,
    amountCents: 1,
    userHash: 'user-1',
    projectId: 3,
    idempotencyKey: 'recovery-1',
    bankReference: 'transfer-1',
    create,
    transactionId: create.acknowledged === undefined ? undefined : 'K7Q20CR5M3V9XHG',
    completion,
  };
}

const pending: Row = {
  transaction_id: 'K7Q20CR5M3V9XHG',
  environment_id: 7,
  amount_cents: '1',
  project_id: 3,
  user_hash: 'user-1',
  idempotency_key: 'recovery-1',
  status: 'pending',
  bank_reference: null,
};
const completed: Row = { ...pending, status: 'completed', bank_reference: 'transfer-1' };
const wrongOf = (told: Contribution, ...rows: Row[]): string[] => judge([told], rows, mark).wrong;

describe('a database restored to a point', () => {
  it('is right with everything that was acknowledged before the point', () => {
    expect(wrongOf(contribution(step(1, 2), step(3, 9)), completed)).toEqual([]);
  });

  it('is wrong without a contribution acknowledged before the point', () => {
    expect(wrongOf(contribution(step(1, 2)))).toEqual([
      'the contribution recovery-1 was acknowledged before the point and is missing',
    ]);
  });

  it('is wrong without a completion acknowledged before the point', () => {
    expect(wrongOf(contribution(step(1, 2), step(3, 9)), pending)).toEqual([
      'the completion of recovery-1 was acknowledged before the point and is missing',
    ]);
  });

  it('is wrong with a contribution or a completion sent after the point', () => {
    expect(wrongOf(contribution(step(13, 14), step(15, 16)), completed)).toEqual([
      'the contribution recovery-1 was requested after the point but exists',
      'the completion of recovery-1 was requested after the point but exists',
    ]);
  });

  it('is wrong with a completion without a request', () => {
    expect(wrongOf(contribution(step(1, 2)), completed)).toEqual([
      'the completion of recovery-1 was requested after the point but exists',
    ]);
  });

  it.each([
    ['in progress at the point', step(9, 13)],
    ['never confirmed', step(3)],
  ])('is right with or without a completion that was %s', (_what, completion) => {
    const told = contribution(step(1, 2), completion);
    expect(wrongOf(told, completed)).toEqual([]);
    expect(wrongOf(told, pending)).toEqual([]);
  });

  it('is wrong with a duplicate contribution, or one without a request', () => {
    expect(
      wrongOf(contribution(step(1, 2)), pending, { ...pending, transaction_id: 'K7Q20CR5M3V9XH0' }),
    ).toContain('K7Q20CR5M3V9XH0 exists twice');
    expect(wrongOf(contribution(step(1, 2)), pending, { ...pending, idempotency_key: 'another' })).toEqual([
      'nobody requested K7Q20CR5M3V9XHG',
    ]);
  });

  it.each([
    ['environment', { environment_id: 8 }],
    ['amount', { amount_cents: '2' }],
    ['project', { project_id: 4 }],
    ['user', { user_hash: 'user-2' }],
    ['transaction_id', { transaction_id: 'K7Q20CR5M3V9XH0' }],
    ['bank reference', { bank_reference: 'transfer-2' }],
  ])('is wrong with another %s', (_what, other) => {
    expect(wrongOf(contribution(step(1, 2), step(3, 9)), { ...completed, ...other })).toEqual([
      'recovery-1 does not match its request',
    ]);
  });

  it('lacks requests acknowledged after the point, which partners and banks must repeat', () => {
    const told = contribution(step(1, 2), step(13, 14));
    expect(judge([told], [pending], mark).missing).toEqual({ creates: [], completions: [told] });
    expect(judge([told], [], mark).missing).toEqual({ creates: [told], completions: [told] });
  });
});
