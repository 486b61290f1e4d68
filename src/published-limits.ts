import { maxHeaderSize } from 'node:http';

import type { Config } from './config';
import type { LimitGroup } from './modules/documentation/limits-table';
import { formatCents } from './shared/money';

const count = (value: number): string => value.toLocaleString('en-US');

const seconds = (milliseconds: number): string => `${count(milliseconds / 1_000)} s`;

/** A rate with the burst that a pause allows. */
const rate = (perSecond: number, { RATE_LIMIT_BURST_SECONDS: seconds }: Config): string =>
  `${count(perSecond)} a second, ${count(perSecond * seconds)} at once after a pause`;

/** 1000000.00 as 1,000,000.00 */
const dollars = (cents: bigint): string => formatCents(cents).replace(/\B(?=(\d{3})+\.)/g, ',');

/**
 * How long a caller should wait before giving up: a request that took all its time to arrive and then an answer of the
 * database that took all of its own is still answered.
 */
export function patienceMs(config: Config): number {
  return config.REQUEST_TIMEOUT_MS + config.DATABASE_ANSWER_TIMEOUT_MS;
}

/** Every limit that partners are told, with the number that this process runs with. A new limit is a line here. */
export function publishedLimits(config: Config): LimitGroup[] {
  return [
    {
      title: 'What a request may hold',
      limits: [
        {
          what: 'Body, after decompression',
          value: `${count(config.BODY_LIMIT_BYTES)} bytes`,
          beyond: '413 `body_too_large`',
        },
        {
          what: 'Request line and headers together',
          value: `${count(maxHeaderSize)} bytes`,
          beyond: '431 `headers_too_large`',
        },
        {
          what: 'Amount of a contribution, US dollars',
          value: `${dollars(config.MINIMUM_AMOUNT)} to ${dollars(config.MAXIMUM_AMOUNT)}`,
          beyond: '400 `invalid_request`',
        },
      ],
    },
    {
      title: 'How long things may take',
      limits: [
        {
          what: 'Headers of a request, until they have arrived',
          value: seconds(config.HEADERS_TIMEOUT_MS),
          beyond: '408 `request_timeout`, and the connection closes',
        },
        {
          what: 'A whole request, until it has arrived',
          value: seconds(config.REQUEST_TIMEOUT_MS),
          beyond: '408 `request_timeout`, and the connection closes',
        },
        {
          what: 'One statement in the database',
          value: seconds(config.DATABASE_STATEMENT_TIMEOUT_MS),
          beyond: '503 `database_timeout`; nothing was done',
        },
        {
          what: 'Waiting for a lock in the database',
          value: seconds(config.DATABASE_LOCK_TIMEOUT_MS),
          beyond: '503 `database_timeout`; nothing was done',
        },
        {
          what: 'Any answer of the database',
          value: seconds(config.DATABASE_ANSWER_TIMEOUT_MS),
          beyond: '503 `database_unavailable`; a create without `Idempotency-Key` gets 500 `outcome_unknown`',
        },
        {
          what: '**Your own time-out**: wait at least this long for an answer',
          value: seconds(patienceMs(config)),
          beyond: 'an answer that was about to come is better than a retry',
        },
      ],
    },
    {
      title: 'How much at a time',
      limits: [
        {
          what: 'Requests of one environment and set of scopes, completions apart',
          value: rate(config.RATE_LIMIT_PER_SECOND, config),
          beyond: '429 `rate_limited`',
        },
        {
          what: 'Completions of one environment and set of scopes',
          value: rate(config.COMPLETION_RATE_LIMIT_PER_SECOND, config),
          beyond: '429 `rate_limited`',
        },
        {
          what: 'Failed authentications with one key from one client address',
          value: `${count(config.FAILED_AUTHENTICATIONS_PER_PAIR)} a minute`,
          beyond: '429 `authentication_throttled`',
        },
        {
          what: 'Failed authentications from one client address',
          value: `${count(config.FAILED_AUTHENTICATIONS_PER_ADDRESS)} a minute`,
          beyond: '429 `authentication_throttled`, apart from pairs in use',
        },
        {
          what: 'Requests that may wait for a free database connection, for each process; a quarter only to create or complete',
          value: count(config.DATABASE_QUEUE_LENGTH),
          beyond: '503 `overloaded`, at once',
        },
        {
          what: 'Waiting for a free database connection',
          value: seconds(config.DATABASE_ACQUIRE_TIMEOUT_MS),
          beyond: '503 `overloaded`',
        },
      ],
    },
  ];
}
