import type { CommandResponse } from './commands/command';
import { complete } from './commands/complete';
import { create } from './commands/create';
import { revoke } from './commands/key-pairs';
import { link, linkWith } from './commands/links';
import { read } from './commands/read';
import { explain } from './explain';
import { createModel, type Model } from './model';

/** The search for orders detects responses that no order explains, and accepts all others. */
const caller = { principal: 'owner', pair: { apiKey: 'cpk_test_1', apiSecret: '' } } as const;
const request = { key: 'order 1', project: 1, cents: 100, user: 'user-1' };
const response = (outcome: string, id = 'T1'): CommandResponse => ({ outcome, body: { transaction_id: id } });
const created = { command: create(caller, request), response: response('201') };
const completed = { command: complete(caller, 'T1'), response: response('200') };
const repeated = { command: complete(caller, 'T1'), response: response('200 replayed') };

function withPair(): Model {
  const model = createModel();
  model.pairs.set(caller.pair.apiKey, { principal: 'owner', state: 'live' });
  return model;
}

/** A world with the key pair and one pending transaction. */
function withTransaction(): readonly Model[] {
  return explain([withPair()], [created]).models;
}

test('two completions, one of them a repeat, are explained in either order', () => {
  expect(explain(withTransaction(), [completed, repeated])).toMatchObject({ isInOrder: true });
  const { models, isInOrder } = explain(withTransaction(), [repeated, completed]);
  expect(isInOrder).toBe(false);
  expect(models).toHaveLength(1);
  expect(models[0]?.transactions.get('T1')?.events.map(({ type }) => type)).toEqual(['created', 'completed']);
});

test('no order explains two first completions', () => {
  const { models, mismatches } = explain(withTransaction(), [completed, completed]);
  expect(models).toEqual([]);
  expect([...mismatches].join()).toContain('200 replayed');
});

test('no order explains two first responses with one key', () => {
  const another = { ...created, response: response('201', 'T2') };
  expect(explain([withPair()], [created, another]).models).toEqual([]);
});

test('a completion concurrent with the revocation of its key pair may succeed or be rejected', () => {
  const revoked = { command: revoke(caller.pair.apiKey), response: response('done') };
  const refused = { ...completed, response: response('401 credentials_invalid') };
  expect(explain(withTransaction(), [revoked, completed]).models).toHaveLength(1);
  expect(explain(withTransaction(), [completed, revoked]).models).toHaveLength(1);
  expect(explain(withTransaction(), [revoked, refused]).models).toHaveLength(1);
});

test('a completion after the revocation of its key pair is explained only by rejection', () => {
  const revoked = { command: revoke(caller.pair.apiKey), response: response('done') };
  const after = explain(withTransaction(), [revoked]).models;
  expect(explain(after, [completed]).models).toEqual([]);
  expect(
    explain(after, [{ ...completed, response: response('401 credentials_invalid') }]).models,
  ).toHaveLength(1);
});

test('actions that several orders explain leave several worlds until an observation decides', () => {
  const first = {
    command: complete(caller, 'T1', { reference: 'FT 1' }),
    response: response('409 amount_mismatch'),
  };
  expect(explain(withTransaction(), [first]).models).toEqual([]);
  const one = {
    command: complete(caller, 'T1', { cents: 7, reference: 'FT 1' }),
    response: response('409 amount_mismatch'),
  };
  const other = { command: complete(caller, 'T1', { cents: 8 }), response: response('409 amount_mismatch') };
  expect(explain(withTransaction(), [one, other]).models).toHaveLength(2);
});

test('one of two completions by two banks succeeds, and the other is contested', () => {
  const by = (principal: 'bank' | 'second', apiKey: string, outcome: string) => ({
    command: complete({ principal, pair: { apiKey, apiSecret: '' } }, 'T1'),
    response: response(outcome),
  });
  const before = (): readonly Model[] => {
    const model = withPair();
    model.pairs.set('cpk_test_2', { principal: 'bank', state: 'live' });
    model.pairs.set('cpk_test_3', { principal: 'second', state: 'live' });
    const linked = (['bank', 'second'] as const).map((bank) => ({
      command: linkWith(bank),
      response: response('done'),
    }));
    return linked
      .concat(created)
      .reduce<readonly Model[]>((models, one) => explain(models, [one]).models, [model]);
  };
  const first = by('bank', 'cpk_test_2', '200');
  const { models } = explain(before(), [by('second', 'cpk_test_3', '409 completed_by_another'), first]);
  expect(models.map(({ transactions }) => transactions.get('T1')?.completion?.by)).toEqual(['bank']);
  for (const outcome of ['200', '200 replayed', '409 amount_mismatch'])
    expect(explain(before(), [first, by('second', 'cpk_test_3', outcome)]).models).toEqual([]);
});

describe('a completion by the company concurrent with a link', () => {
  const bank = { principal: 'bank', pair: { apiKey: 'cpk_test_2', apiSecret: '' } } as const;
  const linked = { command: link, response: response('done') };
  const seen = (status: 'pending' | 'completed') => ({
    command: read(bank, 'T1'),
    response: {
      outcome: '200',
      body: {
        transaction_id: 'T1',
        company_id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
        company_name: 'Owner 1',
        completed_by_you: false,
        status,
        project_id: 1,
        amount: '1.00',
        currency: 'USD',
        returned_amount: '0.00',
        net_amount: '1.00',
        bank_reference: null,
        value_date: null,
        created_at: '1',
        completed_at: status === 'completed' ? '2' : null,
        corrected_at: null,
      },
    },
  });
  const before = () =>
    withTransaction().map((model) => {
      model.pairs.set(bank.pair.apiKey, { principal: 'bank', state: 'live' });
      return model;
    });

  test('is explained when the bank still sees it pending, because it was judged before the link', () => {
    const { models } = explain(before(), [linked, seen('pending'), completed]);
    expect(models).toHaveLength(1);
    expect(models[0]?.links).toHaveLength(1);
    expect(models[0]?.transactions.get('T1')?.completion?.by).toBe('owner');
  });

  test('is not explained when it started after the link', () => {
    const after = explain(before(), [linked]).models;
    expect(explain(after, [seen('pending'), completed]).models).toEqual([]);
  });

  test('is not explained when the bank sees it completed and then pending', () => {
    const after = explain(before(), [linked, completed, seen('completed')]).models;
    expect(after).toHaveLength(1);
    expect(explain(after, [seen('pending')]).models).toEqual([]);
  });
});
