import type { Command } from 'commander';

import { createFeedLookupStore, type ListedFeed, type ListedFeedEvent } from './feed-lookup.store';
import type { EnvironmentKind } from '../../../shared/scopes';
import type { CommandIo } from '../../../operator/cli/command-io';
import {
  environmentOption,
  limitOption,
  readCommand,
  readTransactionId,
  skipOption,
  wholeNumber,
} from '../../../operator/cli/options';
import { type List, oneMore, printPage } from '../../../operator/cli/output';
import { runWith } from '../../../operator/cli/run-with';

const { runRead, runReadOf } = runWith(createFeedLookupStore);

const listedFeeds: List<ListedFeed> = {
  name: 'feeds',
  fields: [
    ['company', (feed) => feed.company, 'COMPANY'],
    ['environment', (feed) => feed.kind, 'ENVIRONMENT', 'whole'],
    ['first_sequence', (feed) => feed.firstSequence, 'FIRST'],
    ['last_sequence', (feed) => feed.lastSequence, 'LAST'],
    ['queued_events', (feed) => feed.queued, 'QUEUED'],
    ['oldest_queued_at', (feed) => feed.oldestQueuedAt, 'OLDEST_QUEUED', 'whole'],
  ],
  whenEmpty: 'No feed has events.',
};

const listedEvents: List<ListedFeedEvent> = {
  name: 'events',
  fields: [
    ['sequence', (event) => event.sequence, 'SEQUENCE'],
    ['recorded_at', (event) => event.recordedAt, 'WHEN', 'whole'],
    ['written_at', (event) => event.writtenAt, 'WRITTEN', 'whole'],
    ['type', (event) => event.type, 'TYPE'],
    ['transaction_id', (event) => event.transactionId, 'TRANSACTION_ID', 'whole'],
    ['event_id', (event) => event.eventId, 'EVENT_ID', 'whole'],
    ['company', (event) => event.company],
    ['environment', (event) => event.kind, 'ENVIRONMENT'],
    ['data', (event) => event.data],
  ],
  whenEmpty: 'No events found.',
};

interface FeedOptions {
  json?: boolean;
  environment?: EnvironmentKind;
  transaction?: string;
  sequence?: number;
  limit: number;
  skip: number;
}

const showFeeds = (io: CommandIo, options: FeedOptions): Promise<void> =>
  runRead(
    io,
    (feeds) => feeds.feeds({ kind: options.environment, ...oneMore(options) }),
    (found) => {
      printPage(io, listedFeeds, found, options);
    },
  );

const showEvents = (io: CommandIo, company: string, options: FeedOptions): Promise<void> =>
  runReadOf(
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
      printPage(io, listedEvents, found, options);
    },
  );

export const feedCommand = (io: CommandIo): Command =>
  readCommand(
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
