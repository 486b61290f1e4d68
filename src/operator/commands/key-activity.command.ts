import type { Command } from 'commander';

import { type ActsOfKeyPair, mostIds } from '../contribution-lookup/key-activity.store';
import { OperatorError } from '../../shared/operator-error';
import { type CommandIo, printLine } from '../cli/command-io';
import { readCommand, parseTime } from '../cli/options';
import { type List, printList } from '../cli/output';
import { runRead } from './operations';

const listedActs: List<ActsOfKeyPair> = {
  name: 'acts',
  fields: [
    ['what', ({ what }) => what, 'WHAT', 'whole'],
    ['count', ({ count }) => count, 'COUNT', 'whole'],
    ['first_at', ({ firstAt }) => firstAt, 'FIRST', 'whole'],
    ['last_at', ({ lastAt }) => lastAt, 'LAST', 'whole'],
    ['transaction_ids', ({ transactionIds }) => transactionIds],
    [
      undefined,
      ({ transactionIds: ids }) => (ids.length < mostIds ? ids : [...ids, '…']),
      'CONTRIBUTIONS',
      'wrap',
    ],
  ],
  whenEmpty: 'The pair has written nothing since then.',
};

/** What a pair did, for the time after its secret has leaked. */
export function activityCommand(io: CommandIo): Command {
  return readCommand(
    'activity',
    'show what a key pair wrote since a time. Only the log of the service names its reads, as api_key',
  )
    .argument('<api-key>', 'API-Key of the pair, also of one that has ended')
    .requiredOption('--from <time>', 'a UTC time, such as that of the leak', parseTime)
    .action((apiKey: string, { json, from: since }: { json?: boolean; from: Date }) =>
      runRead(
        io,
        async ({ keyActivity }) => {
          const acts = await keyActivity.since(apiKey, since);
          if (!acts) throw new OperatorError('There is no key pair with this API-Key. Run keys list --all.');
          return acts;
        },
        (acts) => {
          printList(io, listedActs, acts, json, { api_key: apiKey, since });
          if (!json && acts.length > 0)
            printLine(io.stdout, 'See a contribution with "contributions history".');
        },
      ),
    );
}
