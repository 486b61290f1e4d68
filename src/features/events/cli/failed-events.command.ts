import { Argument, type Command } from 'commander';

import { OperatorError } from '../../../shared/operator-error';
import { createFailedEventsStore, type FailedEvent } from './failed-events.store';
import type { ActOptions } from '../../../operator/cli/act';
import type { CommandIo } from '../../../operator/cli/command-io';
import {
  actCommand,
  finalCommand,
  limitOption,
  lookCommand,
  parseUuid,
  printResult,
  skipOption,
} from '../../../operator/cli/options';
import { type Columns, oneMore, pageOf, printJson, printTable } from '../../../operator/cli/output';
import { runWith } from '../../../operator/cli/run-with';

const { act, look } = runWith(createFailedEventsStore);

const columns: Columns<FailedEvent> = [
  ['EVENT_ID', (event) => event.eventId, 'whole'],
  ['STATUS', ({ retryAt }) => (retryAt === null ? 'set aside' : 'waiting')],
  ['NEXT_ATTEMPT', (event) => event.retryAt, 'whole'],
  ['FAILURES', (event) => event.failures],
  ['PROBLEM', (event) => event.problem, 'whole'],
  ['TYPE', (event) => event.type],
  ['TRANSACTION_ID', (event) => event.transactionId, 'whole'],
  ['QUEUED', (event) => event.queuedAt, 'whole'],
  ['COMPANY', (event) => event.company],
  ['ENVIRONMENT', (event) => event.kind],
];

const asJson = (event: FailedEvent): Record<string, unknown> => ({
  event_id: event.eventId,
  type: event.type,
  company: event.company,
  environment: event.kind,
  transaction_id: event.transactionId,
  queued_at: event.queuedAt,
  failures: event.failures,
  next_attempt_at: event.retryAt,
  problem: event.problem,
});

const eventIdArgument = (): Argument =>
  new Argument('<event-id>', 'event_id, as "events failed" shows it').argParser(
    parseUuid('An event_id is a UUID. "events failed" shows it.'),
  );

interface ListOptions {
  json?: boolean;
  limit: number;
  skip: number;
}

export const failedCommand = (io: CommandIo): Command =>
  lookCommand(
    'failed',
    'list queued events that could not be written to the feeds, oldest first. After four failures, an event is set aside',
  )
    .addOption(limitOption(50))
    .addOption(skipOption())
    .action((options: ListOptions) => {
      const { limit, skip } = oneMore(options);
      return look(
        io,
        (failedEvents) => failedEvents.list(limit, skip),
        (events) => {
          const { rows, hasMore } = pageOf(io, events, options);
          if (options.json) printJson(io, { events: rows.map(asJson), has_more: hasMore });
          else printTable(io, columns, rows, 'No event has failed.');
        },
      );
    });

export const retryCommand = (io: CommandIo): Command =>
  actCommand('retry', 'write a failed event to the feeds now, after its cause was repaired')
    .addArgument(eventIdArgument())
    .action((eventId: string, options: ActOptions) =>
      act(
        io,
        {
          command: 'events retry',
          arguments: {},
          async work(failedEvents) {
            if (!(await failedEvents.retry(eventId)))
              throw new OperatorError('No failed event has this id. "events failed" lists them.');
          },
          record: () => ({ target: eventId, result: {} }),
          leaves: () => `The event ${eventId} is queued now. This cannot be undone.`,
        },
        options,
        () => {
          printResult(io, options, { event_id: eventId, status: 'queued' });
        },
      ),
    );

export const dropCommand = (io: CommandIo): Command =>
  finalCommand('drop', 'delete a failed event that concerns no contribution. Partners never get it')
    .addArgument(eventIdArgument())
    .action((eventId: string, options: ActOptions) =>
      act(
        io,
        {
          command: 'events drop',
          arguments: {},
          question: () => Promise.resolve(`The event ${eventId} will be deleted.`),
          async work(failedEvents) {
            if (!(await failedEvents.drop(eventId)))
              throw new OperatorError(
                'No failed event that concerns no contribution has this id. "events failed" lists failed events. An event of a contribution is never deleted: repair its cause, and run "events retry".',
              );
          },
          record: () => ({ target: eventId, result: {} }),
          leaves: () => `The event ${eventId} is deleted. This cannot be undone.`,
        },
        options,
        () => {
          printResult(io, options, { event_id: eventId, status: 'dropped' });
        },
      ),
    );
