import { Argument, type Command } from 'commander';

import { OperatorError } from '../../../shared/operator-error';
import { createFailedEventsStore, type FailedEvent } from './failed-events.store';
import type { ChangeOptions } from '../../../operator/cli/change';
import type { CommandIo } from '../../../operator/cli/command-io';
import {
  changeCommand,
  finalCommand,
  limitOption,
  readCommand,
  parseUuid,
  skipOption,
} from '../../../operator/cli/options';
import { type List, oneMore, printPage } from '../../../operator/cli/output';
import { runWith } from '../../../operator/cli/run-with';

const { runChange, runRead } = runWith(createFailedEventsStore);

const failedEvents: List<FailedEvent> = {
  name: 'events',
  fields: [
    ['event_id', (event) => event.eventId, 'EVENT_ID', 'whole'],
    [undefined, ({ retryAt }) => (retryAt === null ? 'set aside' : 'waiting'), 'STATUS'],
    ['next_attempt_at', (event) => event.retryAt, 'NEXT_ATTEMPT', 'whole'],
    ['failures', (event) => event.failures, 'FAILURES'],
    ['problem', (event) => event.problem, 'PROBLEM', 'whole'],
    ['type', (event) => event.type, 'TYPE'],
    ['transaction_id', (event) => event.transactionId, 'TRANSACTION_ID', 'whole'],
    ['queued_at', (event) => event.queuedAt, 'QUEUED', 'whole'],
    ['company', (event) => event.company, 'COMPANY'],
    ['environment', (event) => event.kind, 'ENVIRONMENT'],
  ],
  whenEmpty: 'No event has failed.',
};

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
  readCommand(
    'failed',
    'list queued events that could not be written to the feeds, oldest first. After four failures, an event is set aside',
  )
    .addOption(limitOption(50))
    .addOption(skipOption())
    .action((options: ListOptions) => {
      const { limit, skip } = oneMore(options);
      return runRead(
        io,
        (failedEvents) => failedEvents.list(limit, skip),
        (events) => {
          printPage(io, failedEvents, events, options);
        },
      );
    });

export const retryCommand = (io: CommandIo): Command =>
  changeCommand('retry', 'write a failed event to the feeds now, after its cause was repaired')
    .addArgument(eventIdArgument())
    .action((eventId: string, options: ChangeOptions) =>
      runChange(
        io,
        {
          command: 'events retry',
          async work(failedEvents) {
            if (!(await failedEvents.retry(eventId)))
              throw new OperatorError('No failed event has this id. "events failed" lists them.');
          },
          record: () => ({ target: eventId, result: {} }),
          leaves: () => `The event ${eventId} is queued now. This cannot be undone.`,
        },
        options,
        () => ({ event_id: eventId, status: 'queued' }),
      ),
    );

export const dropCommand = (io: CommandIo): Command =>
  finalCommand('drop', 'delete a failed event that concerns no contribution. Partners never get it')
    .addArgument(eventIdArgument())
    .action((eventId: string, options: ChangeOptions) =>
      runChange(
        io,
        {
          command: 'events drop',
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
        () => ({ event_id: eventId, status: 'dropped' }),
      ),
    );
