import type { Exchange } from './clients/http';
import { ReadFeed } from './clients/feed-reader';
import {
  judgeCompletion,
  judgeCorrection,
  judgeCreate,
  judgeLateRepeat,
  judgeRefusal,
} from './clients/judge';
import { ReceivedWebhooks } from './clients/webhook-receiver';
import { Journal } from './journal/journal';

const response = (status: number, body: object = {}, headers: Record<string, string> = {}): Exchange => ({
  sentAt: 1,
  receivedAt: 2,
  response: { status, headers, body: body as Record<string, unknown> },
});
const none: Exchange = { sentAt: 1, receivedAt: 2, response: undefined };
const retryLater = response(503, { code: 'database_unavailable', retryable: true }, { 'retry-after': '1' });
const unknown = response(500, { code: 'outcome_unknown', retryable: false });
const created = response(201, { status: 'pending', transaction_id: 'A' });

let journal: Journal;
beforeEach(() => {
  journal = new Journal();
});
const intend = (idempotencyKey?: string) =>
  journal.intend({ environmentId: 1, userHash: 'user', projectId: 1, idempotencyKey });
const violations = () => journal.violations.map(({ kind }) => kind);

test.each([
  ['with a key, 201', 'key', created, 'acknowledged', 0],
  ['with a key, without a response', 'key', none, 'uncertain', 1],
  ['with a key, 503', 'key', retryLater, 'uncertain', 1],
  ['without a key, 503', undefined, retryLater, 'nothing', 0],
  ['without a key, 500 outcome_unknown', undefined, unknown, 'uncertain', 1],
  ['without a key, without a response', undefined, none, 'uncertain', 1],
])('a create %s allows the right conclusion', (_, key, exchange, verdict, uncertain) => {
  const intention = intend(key);
  expect(judgeCreate(journal, intention, exchange).verdict).toBe(verdict);
  expect(intention.uncertain).toBe(uncertain);
  expect(violations()).toEqual([]);
  expect(journal.disturbances).toHaveLength(verdict === 'acknowledged' ? 0 : 1);
});

test.each([
  ['outcome_unknown although there is a key', 'key', unknown],
  ['500 that is not outcome_unknown', undefined, response(500, { code: 'internal_error', retryable: false })],
  [
    'outcome_unknown that invites to retry',
    undefined,
    response(500, { code: 'outcome_unknown', retryable: true }),
  ],
  ['503 without Retry-After', 'key', response(503, { retryable: true })],
  ['503 that is not retryable', 'key', response(503, { retryable: false }, { 'retry-after': '1' })],
  ['409', 'key', response(409)],
])('a create with the response %s is a violation', (_, key, exchange) => {
  judgeCreate(journal, intend(key), exchange);
  expect(violations()).toEqual(['illegal']);
});

test('one transaction_id for two intentions is a violation', () => {
  judgeCreate(journal, intend('one'), created);
  judgeCreate(journal, intend('two'), created);
  expect(violations()).toEqual(['doubled']);
});

test('a correction is acknowledged by 201 only, and a late repeat says that nothing counts', () => {
  const { completion } = judgeCreate(journal, intend('key'), created);
  expect(judgeCorrection(journal, completion!, response(201))).toBe('acknowledged');
  judgeLateRepeat(journal, completion!, response(200, { status: 'completed', net_amount: '0.00' }));
  judgeLateRepeat(journal, completion!, none);
  expect(violations()).toEqual([]);
  judgeLateRepeat(journal, completion!, response(200, { status: 'completed' }));
  expect(judgeCorrection(journal, completion!, response(409))).toBe('refused');
  expect(violations()).toEqual(['illegal', 'illegal']);
});

test.each([
  ['404', response(404), 'lost'],
  ['500 outcome_unknown', unknown, 'illegal'],
  ['403', response(403), 'illegal'],
])('a permitted completion with the response %s is a violation', (_, exchange, kind) => {
  const { completion } = judgeCreate(journal, intend('key'), created);
  judgeCompletion(journal, completion!, exchange);
  expect(violations()).toEqual([kind]);
});

test('a response that does not reject an invalid request is a violation', () => {
  judgeRefusal(journal, 'completion by a stranger', 404, response(404));
  judgeRefusal(journal, 'completion by a stranger', 404, retryLater);
  expect(violations()).toEqual([]);
  judgeRefusal(journal, 'completion by a stranger', 404, response(200));
  expect(violations()).toEqual(['illegal']);
});

describe('the reader of a feed', () => {
  const event = (sequence: number, id: string, type = 'contribution.created') => ({
    id,
    sequence,
    type,
    data: { transaction_id: 'A' },
  });
  const received = (...events: ReturnType<typeof event>[]): ReadFeed => {
    const feed = new ReadFeed(1, journal);
    for (const one of events) feed.receive(one);
    return feed;
  };

  test.each([
    ['a gap', 'lost', [event(1, 'a'), event(3, 'c')]],
    ['a doubled event', 'doubled', [event(1, 'a'), event(2, 'a')]],
    ['a completion before the creation', 'illegal', [event(1, 'a', 'contribution.completed')]],
  ])('finds %s', (_, kind, events) => {
    received(...events);
    expect(violations()).toEqual([kind]);
  });

  test.each([
    ['nothing', [], ['a', 'b']],
    ['an event that a failover undid', ['illegal'], ['a']],
    ['an event that has another number now', ['illegal'], ['a', 'c']],
    ['an event that was not delivered', ['lost'], ['a', 'b', 'c']],
  ])('finds %s in the database', (_, kinds, stored) => {
    const feed = received(event(1, 'a'), event(2, 'b', 'contribution.completed'));
    feed.compare(0, stored);
    feed.compare(1, stored.slice(1));
    expect(new Set(violations())).toEqual(new Set(kinds));
  });
});

describe('the webhook receiver', () => {
  const webhook = (sequence: number, id: string, transactionId = 'A') => ({
    id,
    sequence,
    data: { transaction_id: transactionId },
  });
  const accepted = (...all: ReturnType<typeof webhook>[]): ReceivedWebhooks => {
    const received = new ReceivedWebhooks(1, journal);
    for (const one of all) received.accept(one);
    return received;
  };

  test.each([
    [
      'nothing in repeats and in another order of contributions',
      [],
      [webhook(2, 'b', 'B'), webhook(1, 'a'), webhook(2, 'b', 'B')],
    ],
    ['another event under the same number', ['doubled'], [webhook(1, 'a'), webhook(1, 'b')]],
    ['a contribution in another order', ['illegal'], [webhook(2, 'b'), webhook(1, 'a')]],
  ])('finds %s', (_, kinds, all) => {
    accepted(...all);
    expect(violations()).toEqual(kinds);
  });

  test.each([
    ['nothing', [], ['a', 'b']],
    ['an event that a failover undid', ['illegal'], ['a']],
    ['an event that was not delivered', ['lost'], ['a', 'b', 'c']],
  ])('finds %s in the database', (_, kinds, stored) => {
    accepted(webhook(1, 'a'), webhook(2, 'b')).compare(new Map(stored.map((id, index) => [index + 1, id])));
    expect(violations()).toEqual(kinds);
  });
});
