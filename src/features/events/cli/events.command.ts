import { Command, Option } from 'commander';

import { createEventLookupStore } from '../../../operator/contribution-lookup/event-lookup.store';
import type { EnvironmentKind } from '../../../shared/scopes';
import type { CommandIo } from '../../../operator/cli/command-io';
import { dropCommand, failedCommand, retryCommand } from './failed-events.command';
import { feedCommand } from './feed.command';
import {
  environmentOption,
  limitOption,
  readCommand,
  parseTime,
  skipOption,
} from '../../../operator/cli/options';
import { printPage } from '../../../operator/cli/output';
import { listedEvents, prefix, shortType } from '../../../operator/commands/listed-event';
import { runWith } from '../../../operator/cli/run-with';

const { runReadOf } = runWith(createEventLookupStore);

const shortTypes = [
  'created',
  'completed',
  'completion_refused',
  'completion_repeated',
  'completion_contested',
  'returned',
  'return_undone',
];

interface ListOptions {
  json?: boolean;
  environment?: EnvironmentKind;
  type?: string[];
  from?: Date;
  limit: number;
  skip: number;
}

export function eventsCommand(io: CommandIo): Command {
  return new Command('events')
    .description(
      'list events of contributions, show the feeds, and decide about events that failed to reach them',
    )
    .addCommand(
      readCommand(
        'list',
        'list events, latest first. completion_refused: the completion was rejected because of its amount. completion_repeated: the party that completed the contribution sent the completion again, with another bank_reference or value_date. completion_contested: another party tried to complete a completed contribution. returned: money went back. return_undone: a return was undone',
      )
        .argument('[company]', 'only this company: its name or company_id')
        .addOption(environmentOption())
        .addOption(
          new Option(
            '--type <type...>',
            'only these types; the prefix "contribution." is optional. Put this option after the company',
          ).choices([...shortTypes, ...shortTypes.map((type) => prefix + type)]),
        )
        .option('--from <time>', 'only events at or after this UTC time', parseTime)
        .addOption(limitOption(50))
        .addOption(skipOption())
        .action((company: string | undefined, options: ListOptions) =>
          runReadOf(
            io,
            company,
            (events, name) =>
              events.list({
                company: name,
                kind: options.environment,
                types: options.type?.map((type) => prefix + shortType(type)),
                since: options.from,
                limit: options.limit + 1,
                skip: options.skip,
              }),
            (events) => {
              printPage(io, listedEvents, events, options);
            },
          ),
        ),
    )
    .addCommand(feedCommand(io))
    .addCommand(failedCommand(io))
    .addCommand(retryCommand(io))
    .addCommand(dropCommand(io));
}
