import type { Command } from 'commander';

import { createFeedLookupStore, type ListedFeed, type ListedFeedEvent } from './feed-lookup.store';
import type { EnvironmentKind } from '../../../shared/scopes';
import type { CommandIo } from '../../../operator/cli/command-io';
import {
  environmentOption,
  limitOption,
  lookCommand,
  readTransactionId,
  skipOption,
  wholeNumber,
} from '../../../operator/cli/options';
import { type Columns, oneMore, pageOf, printJson, printTable } from '../../../operator/cli/output';
import { runWith } from '../../../operator/cli/run-with';

const { look, lookAt } = runWith(createFeedLookupStore);

const feedColumns: Columns<ListedFeed> = [
  ['COMPANY', (feed) => feed.company],
  ['ENVIRONMENT', (feed) => feed.kind, 'whole'],
  ['FIRST', (feed) => feed.firstSequence],
  ['LAST', (feed) => feed.lastSequence],
  ['QUEUED', (feed) => feed.queued],
  ['OLDEST_QUEUED', (feed) => feed.oldestQueuedAt, 'whole'],
];

const eventColumns: Columns<ListedFeedEvent> = [
  ['SEQUENCE', (event) => event.sequence],
  ['WHEN', (event) => event.recordedAt, 'whole'],
  ['WRITTEN', (event) => event.writtenAt, 'whole'],
  ['TYPE', (event) => event.type],
  ['TRANSACTION_ID', (event) => event.transactionId, 'whole'],
  ['EVENT_ID', (event) => event.eventId, 'whole'],
  ['ENVIRONMENT', (event) => event.kind],
];

const feedAsJson = (feed: ListedFeed): Record<string, unknown> => ({
  company: feed.company,
  environment: feed.kind,
  first_sequence: feed.firstSequence,
  last_sequence: feed.lastSequence,
  queued_events: feed.queued,
  oldest_queued_at: feed.oldestQueuedAt,
});

const eventAsJson = (event: ListedFeedEvent): Record<string, unknown> => ({
  company: event.company,
  environment: event.kind,
  sequence: event.sequence,
  event_id: event.eventId,
  type: event.type,
  recorded_at: event.recordedAt,
  written_at: event.writtenAt,
  transaction_id: event.transactionId,
  data: event.data,
});

interface FeedOptions {
  json?: boolean;
  environment?: EnvironmentKind;
  transaction?: string;
  sequence?: number;
  limit: number;
  skip: number;
}

const showFeeds = (io: CommandIo, options: FeedOptions): Promise<void> =>
  look(
    io,
    (feeds) => feeds.feeds({ kind: options.environment, ...oneMore(options) }),
    (found) => {
      const { rows, hasMore } = pageOf(io, found, options);
      if (options.json) printJson(io, { feeds: rows.map(feedAsJson), has_more: hasMore });
      else printTable(io, feedColumns, rows, 'No feed has events.');
    },
  );

const showEvents = (io: CommandIo, company: string, options: FeedOptions): Promise<void> =>
  lookAt(
    io,
    company,
    (feeds, name = company) =>
      feeds.events({
        company: name,
        kind: options.environment,
        transactionId: options.transaction,
        sequence: options.sequence,
        ...oneMore(options),
      }),
    (found) => {
      const { rows, hasMore } = pageOf(io, found, options);
      if (options.json) printJson(io, { events: rows.map(eventAsJson), has_more: hasMore });
      else printTable(io, eventColumns, rows, 'No events found.');
    },
  );

export const feedCommand = (io: CommandIo): Command =>
  lookCommand(
    'feed',
    'show the feeds that partners read: the sequence numbers of their first and last events, and how many events have no number yet. With a company: the last events of its feeds, latest first',
  )
    .argument('[company]', 'show the last events of the feeds of this company: its name or company_id')
    .addOption(environmentOption())
    .option(
      '--transaction <transaction-id>',
      'with a company: only events of this contribution',
      readTransactionId,
    )
    .option(
      '--sequence <number>',
      'with a company: only the event with this number',
      wholeNumber(1, Number.MAX_SAFE_INTEGER),
    )
    .addOption(limitOption(50))
    .addOption(skipOption())
    .action((company: string | undefined, options: FeedOptions) =>
      company === undefined ? showFeeds(io, options) : showEvents(io, company, options),
    );
