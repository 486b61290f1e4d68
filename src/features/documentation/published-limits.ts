import { maxHeaderSize } from 'node:http';

import { fileLimits } from '@contribution-service/bank-files';

import { mostWaitsOfOne } from '../events/feed-waits';
import type { Config } from '../../read-settings';
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
import {
  largestListBytes,
  mostListLines,
} from '../bank-statements/settlement-lists/settlement-lists.contract';
import { mostLinesPerHour, mostUploadsPerHour } from '../bank-statements/uploads/upload-limits.field';
import { longestLineBytes } from '../../http/request/upload-lines';
import { formatCents } from '../../shared/money';

const count = (value: number): string => value.toLocaleString('en-US');

const seconds = (milliseconds: number): string => `${count(milliseconds / 1_000)} s`;

/** A rate with its burst. */
const rate = (perSecond: number, { RATE_LIMIT_BURST_SECONDS: seconds }: Config): string =>
  `${count(perSecond)} per second, with bursts of ${count(perSecond * seconds)}`;

/** 1000000.00 as 1,000,000.00 */
const dollars = (cents: bigint): string => formatCents(cents).replace(/\B(?=(\d{3})+\.)/g, ',');

/** The values of this process that docs/guides/limits.md names. */
export function publishedLimits(config: Config): Readonly<Record<string, string>> {
  const { creates, others, lists } = limitsOfClasses(
    config.DATABASE_POOL_SIZE,
    config.DATABASE_QUEUE_LENGTH,
  ).classes;
  return {
    body_bytes: count(config.BODY_LIMIT_BYTES),
    completion_file_bytes: count(largestFileBytes),
    completion_file_lines: count(mostLines),
    line_bytes: count(longestLineBytes),
    statement_bytes: count(fileLimits.bytes),
    statement_unpacked_bytes: count(fileLimits.streamedBytes),
    entries_of_statement: count(fileLimits.entries),
    settlement_list_bytes: count(largestListBytes),
    settlement_list_lines: count(mostListLines),
    header_bytes: count(maxHeaderSize),
    headers: count(mostHeaders),
    minimum_amount: dollars(config.MINIMUM_AMOUNT),
    maximum_amount: dollars(config.MAXIMUM_AMOUNT),
    headers_time: seconds(config.HEADERS_TIMEOUT_MS),
    request_time: seconds(config.REQUEST_TIMEOUT_MS),
    connect_time: seconds(config.DATABASE_CONNECT_TIMEOUT_MS),
    statement_time: seconds(config.DATABASE_STATEMENT_TIMEOUT_MS),
    lock_time: seconds(config.DATABASE_LOCK_TIMEOUT_MS),
    answer_time: seconds(config.DATABASE_ANSWER_TIMEOUT_MS),
    completion_file_time: seconds(longestBatchMs),
    // The sum of the times to receive the request, to wait in the queue and to wait for the
    // database.
    client_timeout: seconds(
      config.REQUEST_TIMEOUT_MS + creates.burstWaitMs + config.DATABASE_ANSWER_TIMEOUT_MS,
    ),
    request_rate: rate(config.RATE_LIMIT_PER_SECOND, config),
    completion_rate: rate(config.COMPLETION_RATE_LIMIT_PER_SECOND, config),
    batch_rate: rate(batchesPerSecond(config.COMPLETION_RATE_LIMIT_PER_SECOND), config),
    completion_files: count(mostBatches),
    statements_per_hour: count(mostUploadsPerHour),
    statement_lines_per_hour: count(mostLinesPerHour),
    failures_of_key: count(config.FAILED_AUTHENTICATIONS_PER_PAIR),
    failures_of_address: count(config.FAILED_AUTHENTICATIONS_PER_ADDRESS),
    requests_of_connection: count(mostHeldPerConnection),
    create_wait: seconds(creates.burstWaitMs),
    other_wait: seconds(others.burstWaitMs),
    lists: count(lists.perFlow),
    list_wait: seconds(lists.burstWaitMs),
    waits_for_events: count(mostWaitsOfOne),
    acquire_time: seconds(config.DATABASE_ACQUIRE_TIMEOUT_MS),
  };
}
