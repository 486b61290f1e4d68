import { Command, InvalidArgumentError, Option } from 'commander';

import type { ChangeOptions } from '../cli/change';
import type { EnvironmentKind, RateLimits } from '../../shared/scopes';
import { linkBankCommand, unlinkBankCommand } from './bank-links.command';
import { lastUse } from '../cli/cell';
import type { CommandIo } from '../cli/command-io';
import { listCommand, showCommand } from './company-list.command';
import { deleteCommand } from './company-delete.command';
import { freezeCommand, resumeCommand, suspendCommand, unfreezeCommand } from './company-state.command';
import {
  changeCommand,
  environmentArgument,
  environmentOption,
  finalCommand,
  parseCompanyName,
  printResult,
} from '../cli/options';
import { shellWords, undoWith } from '../cli/shell-words';
import { runChange } from './operations';

/** @returns null for the configured limit */
function parseRate(text: string): number | null {
  if (text === 'default') return null;
  const rate = Number(text);
  if (Number.isInteger(rate) && rate >= 1 && rate <= 1_000_000) return rate;
  throw new InvalidArgumentError('Enter an integer from 1 to 1000000, or "default".');
}

function createCommand(io: CommandIo): Command {
  return changeCommand('create', 'create a company with a test and a production environment')
    .argument('<name>', 'unique name', parseCompanyName)
    .action((name: string, options: ChangeOptions) =>
      runChange(
        io,
        {
          command: 'companies create',
          work: ({ companies }) => companies.create(name),
          record: ({ companyId }) => ({ target: name, result: { company_id: companyId } }),
          leaves: ({ companyId }) =>
            `The company "${name}" exists now, with company_id ${companyId}. ${undoWith('companies', 'delete', name)}`,
        },
        options,
        ({ companyId }) => ({ company_id: companyId, name }),
      ),
    );
}

function renameCommand(io: CommandIo): Command {
  return changeCommand('rename', 'rename a company; key pairs and contributions do not change')
    .argument('<company>', 'current name, or company_id')
    .argument('<new-name>', 'new unique name', parseCompanyName)
    .action((company: string, newName: string, options: ChangeOptions) =>
      runChange(
        io,
        {
          command: 'companies rename',
          arguments: { new_name: newName },
          work: ({ companies }) => companies.rename(company, newName),
          record: (formerName) => ({
            target: formerName,
            result: { name: newName, changed: formerName !== newName },
          }),
          leaves: (formerName) =>
            formerName === newName
              ? undefined
              : `The company "${formerName}" is named "${newName}" now. ${undoWith('companies', 'rename', newName, formerName)}`,
        },
        options,
        (formerName) => {
          const changed = formerName !== newName;
          printResult(io, options, { former_name: formerName, name: newName, changed });
        },
      ),
    );
}

function revokeKeysCommand(io: CommandIo): Command {
  return finalCommand('revoke-keys', 'revoke all live key pairs of a company, for example after a leak')
    .argument('<company>', 'company name, or company_id')
    .addOption(environmentOption())
    .action((company: string, options: ChangeOptions & { environment?: EnvironmentKind }) =>
      runChange(
        io,
        {
          command: 'companies revoke-keys',
          arguments: { environment: options.environment ?? null },
          question: async ({ companies, keyPairs }) => {
            const { name } = await companies.find(company);
            const pairs = await keyPairs.list({ company: name, kind: options.environment });
            const lines = pairs.map(({ apiKey, lastUsedAt }) => `  ${apiKey}, ${lastUse(lastUsedAt)}`);
            return [
              `${pairs.length} live pairs of "${name}" will be rejected within one second:`,
              ...lines,
            ].join('\n');
          },
          work: ({ keyPairs }) => keyPairs.revokeAll(company, options.environment),
          record: (apiKeys) => ({ target: company, result: { revoked: apiKeys } }),
          leaves: (apiKeys) =>
            apiKeys.length > 0
              ? `These pairs are revoked now: ${apiKeys.join(', ')}. This cannot be undone. Issue other ones.`
              : undefined,
        },
        options,
        (apiKeys) => ({ company, revoked: apiKeys }),
      ),
    );
}

function setRateLimitsCommand(io: CommandIo): Command {
  return changeCommand(
    'set-rate-limits',
    'set the rate limits of one environment. A limit that you omit does not change',
  )
    .addArgument(environmentArgument())
    .argument('<company>', 'company name, or company_id')
    .addOption(
      new Option(
        '--requests-per-second <rate>',
        'limit for requests other than completions, returns and uploaded files. It applies to each process. Key pairs with the same scopes share it. "default" means RATE_LIMIT_PER_SECOND',
      ).argParser(parseRate),
    )
    .addOption(
      new Option(
        '--completions-per-second <rate>',
        'limit for completions and returns. The limit for uploaded files is 1/500 of it, but at least 1. Both apply to each process, and key pairs with the same scopes share them. "default" means COMPLETION_RATE_LIMIT_PER_SECOND',
      ).argParser(parseRate),
    )
    .action((kind: EnvironmentKind, company: string, options: ChangeOptions & Partial<RateLimits>) => {
      const { requestsPerSecond, completionsPerSecond, json } = options;
      const limits = {
        ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
        ...(completionsPerSecond === undefined ? {} : { completionsPerSecond }),
      };
      const asRecord = (rates: RateLimits, show = (rate: number | null): unknown => rate) => ({
        requests_per_second: show(rates.requestsPerSecond),
        completions_per_second: show(rates.completionsPerSecond),
      });
      return runChange(
        io,
        {
          command: 'companies set-rate-limits',
          work: ({ companies }) => companies.setRateLimits(kind, company, limits),
          record: (rates) => ({ target: `${company} ${kind}`, result: asRecord(rates) }),
          leaves: (rates) =>
            `The limits of "${company}" (${kind}) are ${rates.requestsPerSecond ?? 'default'} requests and ${rates.completionsPerSecond ?? 'default'} completions per second now. To undo it, set the former limits with "companies set-rate-limits". Earlier changes are listed by: ${shellWords('actions', 'list', '--command', 'companies set-rate-limits')}`,
        },
        options,
        (rates) => {
          const show = (rate: number | null): unknown => (json ? rate : (rate ?? 'default'));
          printResult(io, options, { company, environment: kind, ...asRecord(rates, show) });
        },
      );
    });
}

export function companiesCommand(io: CommandIo): Command {
  return new Command('companies')
    .description('manage companies, their banks and rate limits')
    .addCommand(createCommand(io))
    .addCommand(listCommand(io))
    .addCommand(showCommand(io))
    .addCommand(renameCommand(io))
    .addCommand(deleteCommand(io))
    .addCommand(suspendCommand(io))
    .addCommand(resumeCommand(io))
    .addCommand(freezeCommand(io))
    .addCommand(unfreezeCommand(io))
    .addCommand(linkBankCommand(io))
    .addCommand(unlinkBankCommand(io))
    .addCommand(revokeKeysCommand(io))
    .addCommand(setRateLimitsCommand(io));
}
