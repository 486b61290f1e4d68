import type { Command } from 'commander';

import { type ActsOfKeyPair, mostIds } from '../contribution-lookup/key-activity.store';
import { OperatorError } from '../../shared/operator-error';
import { type CommandIo, printLine } from '../cli/command-io';
import { lookCommand, parseTime } from '../cli/options';
import { type Columns, printJson, printTable } from '../cli/output';
import { look } from './operations';

const columns: Columns<ActsOfKeyPair> = [
  ['WHAT', ({ what }) => what, 'whole'],
  ['COUNT', ({ count }) => count, 'whole'],
  ['FIRST', ({ firstAt }) => firstAt, 'whole'],
  ['LAST', ({ lastAt }) => lastAt, 'whole'],
  ['CONTRIBUTIONS', ({ transactionIds: ids }) => (ids.length < mostIds ? ids : [...ids, '…']), 'wrap'],
];

/** What a pair did, for the time after its secret has leaked. */
export function activityCommand(io: CommandIo): Command {
  return lookCommand(
    'activity',
    'show what a key pair wrote since a time. Only the log of the service names its reads, as api_key',
  )
    .argument('<api-key>', 'API-Key of the pair, also of one that has ended')
    .requiredOption('--since <time>', 'a UTC time, such as that of the leak', parseTime)
    .action((apiKey: string, { json, since }: { json?: boolean; since: Date }) =>
      look(
        io,
        async ({ keyActivity }) => {
          const acts = await keyActivity.since(apiKey, since);
          if (!acts) throw new OperatorError('There is no key pair with this API-Key. Run keys list --all.');
          return acts;
        },
        (acts) => {
          if (!json) {
            printTable(io, columns, acts, 'The pair has written nothing since then.');
            if (acts.length > 0) printLine(io.stdout, 'See a contribution with "transactions history".');
            return;
          }
          printJson(io, {
            api_key: apiKey,
            since,
            acts: acts.map(({ what, count, firstAt, lastAt, transactionIds }) => ({
              what,
              count,
              first_at: firstAt,
              last_at: lastAt,
              transaction_ids: transactionIds,
            })),
          });
        },
      ),
    );
}
