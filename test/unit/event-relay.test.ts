import { setTimeout as delay } from 'node:timers/promises';

import pino from 'pino';

import { createFeedWaits } from '../../src/features/events/feed-waits';
import { startRelay } from '../../src/features/events/relay';
import type { RelayStore } from '../../src/features/events/relay.store';
import { until } from '../support/until';

/** The loop of the relay, and requests that wait for it, with a store that fails or hangs. */
const storeOf = (parts: Partial<RelayStore>): RelayStore => ({
  relay: () => Promise.resolve(0),
  environments: () => Promise.resolve([]),
  expire: () => Promise.resolve(0),
  failedCount: () => Promise.resolve(0),
  lagSeconds: () => Promise.resolve(0),
  ...parts,
});

const logger = pino({ level: 'silent' });

test('expired events are deleted although events arrive without pause', async () => {
  const expire = jest.fn(() => Promise.resolve(0));
  const relay = startRelay(storeOf({ relay: () => Promise.resolve(5), expire }), logger);
  await until('events expire', () => Promise.resolve(expire.mock.calls.length > 0));
  await relay.stop();
});

test('while relaying fails, the events of the other environments expire', async () => {
  const expired: number[] = [];
  const relay = startRelay(
    storeOf({
      relay: () => Promise.reject(new Error('no connection to a server')),
      environments: () => Promise.resolve([1, 2, 3]),
      expire(_most, environmentId = 0) {
        if (environmentId === 2) return Promise.reject(new Error('no connection to its server'));
        expired.push(environmentId);
        return Promise.resolve(0);
      },
    }),
    logger,
  );
  await until('the others expire', () => Promise.resolve(expired.length >= 2));
  await relay.stop();
  expect(expired).toEqual([1, 3]);
});

test('an environment whose events cannot be relayed does not hold back the others', async () => {
  const relayed: [number, number][] = [];
  const warn = jest.spyOn(logger, 'warn');
  const relay = startRelay(
    storeOf({
      environments: () => Promise.resolve([1, 2, 3]),
      relay(most, environmentId) {
        if (environmentId === undefined)
          return Promise.reject(new Error('canceling statement due to statement timeout'));
        if (environmentId === 2) return Promise.reject(new Error('no connection to its server'));
        relayed.push([environmentId, most]);
        return Promise.resolve(1);
      },
    }),
    logger,
  );
  await until('the others are relayed twice', () => Promise.resolve(relayed.length >= 4));
  await relay.stop();
  expect(relayed.slice(0, 2)).toEqual([
    [1, 100],
    [3, 100],
  ]);
  expect(warn).toHaveBeenCalledTimes(1);
});

test('an environment that failed waits, so that many of them do not hold back the last one', async () => {
  const attempts: number[] = [];
  const relay = startRelay(
    storeOf({
      environments: () => Promise.resolve(Array.from({ length: 22 }, (_, index) => index + 1)),
      relay(_most, environmentId) {
        if (environmentId === undefined) return Promise.reject(new Error('a server is unavailable'));
        attempts.push(environmentId);
        return environmentId === 22 || environmentId === 1
          ? Promise.resolve(1)
          : Promise.reject(new Error('its server is unavailable'));
      },
    }),
    logger,
  );
  await until('the last one is relayed', () => Promise.resolve(attempts.includes(22)));
  await relay.stop();
  expect(attempts.filter((environmentId) => environmentId === 2)).toHaveLength(1);
});

test('a waiting request ends in time, and at a shutdown, even if the database does not reply', async () => {
  const waits = createFeedWaits({ lastSequences: () => new Promise(() => undefined) });
  let isOver = false;
  const wait = (milliseconds: number, over: () => boolean) =>
    waits.until({ environmentId: 1, after: 0, milliseconds, isOver: over });
  const shuttingDown = wait(60_000, () => isOver);
  await wait(400, () => false);
  await delay(100);
  isOver = true;
  await shuttingDown;
});
