import { Command, Option } from 'commander';

import type { LedgerEvent } from '../modules/ledger/ledger.store';
import type { EnvironmentKind } from '../shared/scopes';
import { look } from './operator';
import { environmentOption, limitOption, lookCommand, parseTime } from './options';
import { type Columns, printJson, printTable } from './output';

const shortTypes = ['created', 'completed', 'completion_refused', 'completion_repeated'];

const prefix = 'contribution.';

/** Without what all types begin with. */
export const shortType = (type: string): string =>
  type.startsWith(prefix) ? type.slice(prefix.length) : type;

const columns: Columns<LedgerEvent> = [
  ['WHEN', (event) => event.recordedAt, 'whole'],
  ['TYPE', (event) => shortType(event.type), 'whole'],
  ['TRANSACTION_ID', (event) => event.transactionId, 'whole'],
  ['BY', (event) => event.actor],
  ['EVIDENCE', (event) => JSON.stringify(event.evidence)],
  ['COMPANY', (event) => event.company],
  ['ENVIRONMENT', (event) => event.kind],
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
      .addOption(
        new Option('--type <type...>', 'only of these types').choices([
          ...shortTypes,
          ...shortTypes.map((type) => prefix + type),
        ]),
      )
      .option('--since <time>', 'UTC, inclusive', parseTime)
      .addOption(limitOption(50))
      .action((company: string | undefined, options: ListOptions) =>
        look(
          ({ ledger }) =>
            ledger.listEvents({
              company,
              kind: options.environment,
              types: options.type?.map((type) => prefix + shortType(type)),
              since: options.since,
              limit: options.limit,
            }),
          (events) => {
            if (options.json) printJson({ events: events.map(eventAsJson) });
            else printTable(columns, events, 'There is no such event.');
          },
        ),
      ),
  );
}
