import type { Command } from 'commander';

import type { ChangeOptions } from '../cli/change';
import type { CommandIo } from '../cli/command-io';
import { unknownCompany } from './company-list.command';
import type { Operations } from './operations';
import { changeCommand, parseReason } from '../cli/options';
import { undoWith } from '../cli/shell-words';
import { runChange } from './operations';

interface StateChange {
  /** The name of the command, such as "suspend". */
  name: string;
  description: string;
  /** The member of the result. */
  shown: Readonly<Record<string, boolean>>;
  /** The state afterwards, and the words after "companies" that undo it. */
  leaves: (company: string) => [state: string, undo: string, ...words: string[]];
  work: (
    operations: Pick<Operations, 'companiesOverview'>,
    company: string,
    reason: string,
  ) => Promise<boolean | undefined>;
}

type StateOptions = ChangeOptions & { reason?: string };

/** A command that changes the state of a company, or leaves it as it is. */
const stateCommand = (io: CommandIo, { name, description, shown, leaves, work }: StateChange): Command =>
  changeCommand(name, description)
    .argument('<company>', 'company name, or company_id')
    .action((company: string, options: StateOptions) =>
      runChange(
        io,
        {
          command: `companies ${name}`,
          arguments: options.reason === undefined ? {} : { reason: options.reason },
          work: async (operations) => {
            const isChanged = await work(operations, company, options.reason ?? '');
            if (isChanged === undefined) throw unknownCompany(company);
            return isChanged;
          },
          record: (changed) => ({ target: company, result: { changed } }),
          leaves(changed) {
            if (!changed) return undefined;
            const [state, ...words] = leaves(company);
            return `The company "${company}" is ${state} now. ${undoWith('companies', ...words)}`;
          },
        },
        options,
        (changed) => ({ company, ...shown, changed }),
      ),
    );

export const suspendCommand = (io: CommandIo): Command =>
  stateCommand(io, {
    name: 'suspend',
    description: 'suspend a company: it cannot create contributions. Completions and reads still work',
    shown: { suspended: true },
    leaves: (company) => ['suspended', 'resume', company],
    work: ({ companiesOverview }, company) => companiesOverview.setSuspended(company, true),
  });

export const resumeCommand = (io: CommandIo): Command =>
  stateCommand(io, {
    name: 'resume',
    description: 'let a suspended company create contributions again',
    shown: { suspended: false },
    leaves: (company) => ['active', 'suspend', company],
    work: ({ companiesOverview }, company) => companiesOverview.setSuspended(company, false),
  });

export const freezeCommand = (io: CommandIo): Command =>
  stateCommand(io, {
    name: 'freeze',
    description:
      'stop all requests and webhooks of a company or bank for a while. Its requests get 503, which clients retry later. The banks of a frozen company can still complete its contributions',
    shown: { frozen: true },
    leaves: (company) => ['frozen', 'unfreeze', company],
    work: ({ companiesOverview }, company, reason) => companiesOverview.freeze(company, reason),
  }).requiredOption(
    '--reason <text>',
    'required: why, and until when; stored permanently, so do not include personal data',
    parseReason,
  );

export const unfreezeCommand = (io: CommandIo): Command =>
  stateCommand(io, {
    name: 'unfreeze',
    description: 'end a freeze: requests work again, and the webhooks that waited are sent',
    shown: { frozen: false },
    leaves: (company) => ['no longer frozen', 'freeze', company, '--reason', 'TEXT'],
    work: ({ companiesOverview }, company) => companiesOverview.unfreeze(company),
  });
