import { maxHeaderSize } from 'node:http';

import { mostWaitsOfOne } from '../events/feed-waits';
import type { Config } from '../../config';
import {
  limitsOfClasses,
  mostHeaders,
  mostHeldPerConnection,
} from '../../http/server/admission/class-limits';
import { batchesPerSecond } from '../../http/middleware/rate-limit';
import { mostBatches } from '../../core/contributions/batch-slots';
import {
  largestFileBytes,
  longestBatchMs,
  mostLines,
} from '../../core/contributions/complete-contributions.contract';
import { fileLimits, mostFilesPerHour } from '../statements/files/file-limits.field';
import { largestListBytes, mostListLines } from '../statements/settlement-lists.contract';
import { longestLineBytes } from '../../http/request/upload-lines';
import type { LimitGroup, PublishedLimit } from './limits-table';
import { formatCents } from '../../shared/money';

const count = (value: number): string => value.toLocaleString('en-US');

const seconds = (milliseconds: number): string => `${count(milliseconds / 1_000)} s`;

/** A rate with its burst. */
const rate = (perSecond: number, { RATE_LIMIT_BURST_SECONDS: seconds }: Config): string =>
  `${count(perSecond)} per second, with bursts of ${count(perSecond * seconds)}`;

/** 1000000.00 as 1,000,000.00 */
const dollars = (cents: bigint): string => formatCents(cents).replace(/\B(?=(\d{3})+\.)/g, ',');

/** Every published limit with the value of this process. */
export function publishedLimits(config: Config): LimitGroup[] {
  return [sizeLimits(config), timeLimits(config), rateLimits(config)];
}

function sizeLimits(config: Config): LimitGroup {
  return {
    title: 'Size',
    limits: [
      {
        what: 'Body, after decompression',
        value: `${count(config.BODY_LIMIT_BYTES)} bytes`,
        beyond: '413 `body_too_large`',
      },
      {
        what: 'Completion file, after decompression',
        value: `${count(largestFileBytes)} bytes and ${count(mostLines)} lines`,
        beyond: '413 `body_too_large`',
      },
      {
        what: 'Line of such a file',
        value: `${count(longestLineBytes)} bytes`,
        beyond: 'the line is refused with `malformed_body`',
      },
      {
        what: 'Bank statement, after decompression',
        value: `${count(fileLimits.bytes)} bytes`,
        beyond: '413 `body_too_large`',
      },
      {
        what: 'Entries of a bank statement, counting the parts of batch entries',
        value: count(fileLimits.entries),
        beyond: '422 `statement_unreadable`',
      },
      {
        what: 'Settlement list',
        value: `${count(largestListBytes)} bytes and ${count(mostListLines)} lines`,
        beyond: '413 `body_too_large`',
      },
      {
        what: 'Request line and headers, in total',
        value: `${count(maxHeaderSize)} bytes`,
        beyond: '431 `headers_too_large`',
      },
      {
        what: 'Number of headers',
        value: count(mostHeaders),
        beyond: '431 `headers_too_large`',
      },
      {
        what: 'Amount of a contribution, in US dollars',
        value: `${dollars(config.MINIMUM_AMOUNT)} to ${dollars(config.MAXIMUM_AMOUNT)}`,
        beyond: '400 `invalid_request`',
      },
    ],
  };
}

const classesOf = (config: Config) =>
  limitsOfClasses(config.DATABASE_POOL_SIZE, config.DATABASE_QUEUE_LENGTH).classes;

function timeLimits(config: Config): LimitGroup {
  const { creates } = classesOf(config);
  return {
    title: 'Time',
    limits: [
      {
        what: 'Time for the headers to arrive',
        value: seconds(config.HEADERS_TIMEOUT_MS),
        beyond: '408 `request_timeout`, and the connection closes',
      },
      {
        what: 'Time for the complete request to arrive',
        value: seconds(config.REQUEST_TIMEOUT_MS),
        beyond: '408 `request_timeout`, and the connection closes',
      },
      {
        what: 'Opening a database connection',
        value: seconds(config.DATABASE_CONNECT_TIMEOUT_MS),
        beyond: '503 `database_unavailable`; no changes were made',
      },
      {
        what: 'Database statement',
        value: seconds(config.DATABASE_STATEMENT_TIMEOUT_MS),
        beyond:
          '503 `database_timeout`; no changes were made. 503 `database_unavailable` if that is not certain',
      },
      {
        what: 'Wait for a database lock',
        value: seconds(config.DATABASE_LOCK_TIMEOUT_MS),
        beyond: '503 `database_timeout`; no changes were made',
      },
      {
        what: 'Database response',
        value: seconds(config.DATABASE_ANSWER_TIMEOUT_MS),
        beyond: '503 `database_unavailable`; a create without `Idempotency-Key` gets 500 `outcome_unknown`',
      },
      {
        what: 'Time for a completion file, after it has arrived',
        value: seconds(longestBatchMs),
        beyond: 'the response is cut off; send the file again',
      },
      {
        what: '**Your client timeout**: wait at least this long for a response',
        // The sum of the times to receive the request, to wait in the queue and to wait for the
        // database.
        value: seconds(config.REQUEST_TIMEOUT_MS + creates.burstWaitMs + config.DATABASE_ANSWER_TIMEOUT_MS),
        beyond: 'with a shorter timeout, you may retry just before the response arrives',
      },
    ],
  };
}

const batchLimits = (config: Config): PublishedLimit[] => [
  {
    what: 'Completion files, settlement lists and bank statements per environment and set of scopes',
    value: rate(batchesPerSecond(config.COMPLETION_RATE_LIMIT_PER_SECOND), config),
    beyond: '429 `rate_limited`',
  },
  {
    what: 'Completion files in progress per environment and process',
    value: '1',
    beyond: '429 `rate_limited`',
  },
  {
    what: 'Completion files in progress per process, for all environments of one kind (test or production)',
    value: count(mostBatches),
    beyond: '503 `overloaded`',
  },
];

function rateLimits(config: Config): LimitGroup {
  const { creates, others, lists } = classesOf(config);
  return {
    title: 'Rate and concurrency',
    limits: [
      {
        what: 'Requests per environment and set of scopes, except completions and returns',
        value: rate(config.RATE_LIMIT_PER_SECOND, config),
        beyond: '429 `rate_limited`',
      },
      {
        what: 'Completions and returns per environment and set of scopes',
        value: rate(config.COMPLETION_RATE_LIMIT_PER_SECOND, config),
        beyond: '429 `rate_limited`',
      },
      ...batchLimits(config),
      {
        what: 'Bank statements per environment',
        value: `${count(mostFilesPerHour)} per hour, one at a time`,
        beyond: '429 `rate_limited`',
      },
      {
        what: 'Failed authentications per key and client address',
        value: `${count(config.FAILED_AUTHENTICATIONS_PER_PAIR)} per minute`,
        beyond: '429 `authentication_throttled`',
      },
      {
        what: 'Failed authentications per client address or IPv6 /64 (twice as many per /56, four times per /48)',
        value: `${count(config.FAILED_AUTHENTICATIONS_PER_ADDRESS)} per minute`,
        beyond: '429 `authentication_throttled`, except for valid pairs',
      },
      {
        what: 'Requests in progress per connection',
        value: count(mostHeldPerConnection),
        beyond: 'the connection closes',
      },
      {
        what: 'Wait of a create or completion in the queue during a burst',
        value: seconds(creates.burstWaitMs),
        beyond: '503 `overloaded`; no changes were made',
      },
      {
        what: 'Wait of any other request in the queue during a burst',
        value: seconds(others.burstWaitMs),
        beyond: '503 `overloaded`; no changes were made',
      },
      {
        what: 'Lists of contributions in progress per environment and process. Further lists wait in the queue',
        value: count(lists.perFlow),
        beyond: `503 \`overloaded\` after ${seconds(lists.burstWaitMs)}; no changes were made`,
      },
      {
        what: 'Requests per environment that wait for events',
        value: count(mostWaitsOfOne),
        beyond: '429 `rate_limited`',
      },
      {
        what: 'Wait for a free database connection',
        value: seconds(config.DATABASE_ACQUIRE_TIMEOUT_MS),
        beyond: '503 `overloaded`',
      },
    ],
  };
}
