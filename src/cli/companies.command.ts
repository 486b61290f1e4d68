import { Command, InvalidArgumentError, Option } from 'commander';

import type { EnvironmentKind, RateLimits } from '../shared/scopes';
import { listCommand, showCommand, suspendCommand } from './company-list.command';
import { act, type ActOptions } from './operator';
import { actCommand, answer, environmentArgument, parseName } from './options';

/** @returns null for the service's own setting */
function parseRate(text: string): number | null {
  if (text === 'default') return null;
  const rate = Number(text);
  if (Number.isInteger(rate) && rate >= 1 && rate <= 1_000_000) return rate;
  throw new InvalidArgumentError('An integer from 1 to 1000000 is needed, or "default".');
}

function createCommand(): Command {
  return actCommand('create', 'create a company with its test and its production environment')
    .argument('<name>', 'unique name of the company', parseName)
    .action((name: string, options: ActOptions) =>
      act(
        {
          command: 'companies create',
          arguments: {},
          work: ({ companies }) => companies.create(name),
          record: ({ companyId }) => ({ target: name, result: { company_id: companyId } }),
        },
        options,
        ({ companyId }) => {
          answer(options, { company_id: companyId, name });
        },
      ),
    );
}

function linkCommand(isLinking: boolean): Command {
  const description = isLinking
    ? "let a bank complete a company's contributions, which the company then cannot do itself"
    : 'end a link; the bank can still complete what was created while it was linked';
  return actCommand(isLinking ? 'link-bank' : 'unlink-bank', description)
    .addArgument(environmentArgument())
    .argument('<company>', 'name of the company')
    .argument('<bank>', 'name of the bank, a company too')
    .action((kind: EnvironmentKind, company: string, bank: string, options: ActOptions) =>
      act(
        {
          command: isLinking ? 'companies link-bank' : 'companies unlink-bank',
          arguments: { bank },
          work: async ({ companies }) => {
            if (isLinking) return companies.linkBank(kind, company, bank);
            await companies.unlinkBank(kind, company, bank);
            return true;
          },
          record: (changed) => ({ target: `${company} ${kind}`, result: { linked: isLinking, changed } }),
        },
        options,
        (changed) => {
          answer(options, { environment: kind, company, bank, linked: isLinking, changed });
        },
      ),
    );
}

function setRateLimitsCommand(): Command {
  return actCommand(
    'set-rate-limits',
    'allow one environment another rate than the settings of the service do; what is left out stays',
  )
    .addArgument(environmentArgument())
    .argument('<company>', 'name of the company')
    .addOption(new Option('--requests-per-second <rate>', 'a rate, or "default"').argParser(parseRate))
    .addOption(new Option('--completions-per-second <rate>', 'a rate, or "default"').argParser(parseRate))
    .action((kind: EnvironmentKind, company: string, options: ActOptions & Partial<RateLimits>) => {
      const { requestsPerSecond, completionsPerSecond, json } = options;
      const limits = {
        ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
        ...(completionsPerSecond === undefined ? {} : { completionsPerSecond }),
      };
      const asRecord = (rates: RateLimits, show = (rate: number | null): unknown => rate) => ({
        requests_per_second: show(rates.requestsPerSecond),
        completions_per_second: show(rates.completionsPerSecond),
      });
      return act(
        {
          command: 'companies set-rate-limits',
          arguments: {},
          work: ({ companies }) => companies.setRateLimits(kind, company, limits),
          record: (rates) => ({ target: `${company} ${kind}`, result: asRecord(rates) }),
        },
        options,
        (rates) => {
          const show = (rate: number | null): unknown => (json ? rate : (rate ?? 'default'));
          answer(options, { company, environment: kind, ...asRecord(rates, show) });
        },
      );
    });
}

export function companiesCommand(): Command {
  return new Command('companies')
    .description('companies, their environments and their banks')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(suspendCommand(true))
    .addCommand(suspendCommand(false))
    .addCommand(linkCommand(true))
    .addCommand(linkCommand(false))
    .addCommand(setRateLimitsCommand());
}
