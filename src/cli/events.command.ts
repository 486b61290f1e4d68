import { Command, Option } from 'commander';

import type { LedgerEvent } from '../modules/ledger/ledger.store';
import type { EnvironmentKind } from '../shared/scopes';
import { look } from './operator';
import { environmentOption, limitOption, lookCommand, parseTime } from './options';
import { type Columns, printJson, printTable } from './output';

const eventTypes = [
  'contribution.created',
  'contribution.completed',
  'contribution.completion_refused',
  'contribution.completion_repeated',
];

export const eventColumns: Columns<LedgerEvent> = [
  ['WHEN', (event) => event.recordedAt],
  ['TYPE', (event) => event.type],
  ['TRANSACTION_ID', (event) => event.transactionId],
  ['COMPANY', (event) => event.company],
  ['ENVIRONMENT', (event) => event.kind],
  ['BY', (event) => event.actor],
  ['EVIDENCE', (event) => JSON.stringify(event.evidence)],
];

export const eventAsJson = (event: LedgerEvent): Record<string, unknown> => ({
  event_id: event.eventId,
  type: event.type,
  recorded_at: event.recordedAt,
  company: event.company,
  environment: event.kind,
  transaction_id: event.transactionId,
  actor: event.actor,
  actor_api_key: event.actorApiKey,
  evidence: event.evidence,
});

interface ListOptions {
  json?: boolean;
  environment?: EnvironmentKind;
  type?: string[];
  since?: Date;
  limit: number;
}

export function eventsCommand(): Command {
  return new Command('events').description('what happened to contributions').addCommand(
    lookCommand('list', 'list events, the latest first')
      .argument('[company]', 'only those of one company')
      .addOption(environmentOption())
      .addOption(new Option('--type <type...>', 'only of these types').choices(eventTypes))
      .option('--since <time>', 'UTC, inclusive', parseTime)
      .addOption(limitOption(50))
      .action((company: string | undefined, options: ListOptions) =>
        look(
          ({ ledger }) =>
            ledger.listEvents({
              company,
              kind: options.environment,
              types: options.type,
              since: options.since,
              limit: options.limit,
            }),
          (events) => {
            if (options.json) printJson({ events: events.map(eventAsJson) });
            else printTable(eventColumns, events, 'There is no such event.');
          },
        ),
      ),
  );
}
