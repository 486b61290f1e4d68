import type { ChangeOptions } from '../../../operator/cli/change';
import { Command, Option } from 'commander';

import type { CommandIo } from '../../../operator/cli/command-io';
import { finalCommand, wholeNumber } from '../../../operator/cli/options';
import { createRetiredEnvironmentsStore } from '../retired-environments.store';
import { runWith } from '../../../operator/cli/run-with';

const { runChange } = runWith(createRetiredEnvironmentsStore);

function purgeCommand(io: CommandIo): Command {
  return finalCommand(
    'purge',
    'delete the old data of test environments that were reset more than 7 days ago: contributions, events, users and all other rows from before the reset. Data since the reset stays',
  )
    .addOption(
      new Option('--limit <count>', 'maximum number of environments, oldest first')
        .argParser(wholeNumber(1, 1_000))
        .default(100),
    )
    .action(({ limit, ...options }: ChangeOptions & { limit: number }) =>
      runChange(
        io,
        {
          command: 'sandbox purge',
          arguments: { limit },
          question: async (retiredEnvironments) => {
            const { count } = await retiredEnvironments.waiting();
            const deleted = Math.min(count, limit);
            return `The data of ${deleted} retired test environment${deleted === 1 ? '' : 's'} will be deleted.`;
          },
          work: (retiredEnvironments) => retiredEnvironments.purge(limit),
          record: ({ environments, rows }) => ({ target: null, result: { environments, rows } }),
          leaves: ({ environments }) =>
            environments > 0
              ? `The data of ${environments} retired test environments is deleted now. This cannot be undone.`
              : undefined,
        },
        options,
        ({ environments, rows, left }) => ({ purged_environments: environments, deleted_rows: rows, left }),
      ),
    );
}

export function sandboxCommand(io: CommandIo): Command {
  return new Command('sandbox')
    .description('delete the old data of test environments that were reset')
    .addCommand(purgeCommand(io));
}
