#!/usr/bin/env node
import { Argument, Command, InvalidArgumentError, Option } from 'commander';

import {
  type EnvironmentKind,
  environmentKinds,
  type RateLimits,
  type Scope,
  scopes,
} from '../shared/scopes';
import { runForOperator } from './operator';
import { verifyCommand } from './verify.command';

const environmentArgument = (): Argument =>
  new Argument('<environment>', 'which of the two environments').choices(environmentKinds);
const jsonOption = (): Option => new Option('--json', 'answer as JSON');

/** Prints a result as JSON, or as one line for each of its members. */
function print(result: Record<string, unknown>, asJson: boolean | undefined): void {
  if (asJson) {
    console.log(JSON.stringify(result));
    return;
  }
  const width = Math.max(...Object.keys(result).map((name) => name.length));
  for (const [name, value] of Object.entries(result)) console.log(`${name.padEnd(width)}  ${String(value)}`);
}

function parseName(text: string): string {
  const name = text.trim();
  if (name.length >= 1 && name.length <= 200) return name;
  throw new InvalidArgumentError('1 to 200 characters are needed.');
}

function parseDays(text: string): number {
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= 3_650) return days;
  throw new InvalidArgumentError('An integer from 1 to 3650 is needed.');
}

/** @returns null for the service's own setting */
function parseRate(text: string): number | null {
  if (text === 'default') return null;
  const rate = Number(text);
  if (Number.isInteger(rate) && rate >= 1 && rate <= 1_000_000) return rate;
  throw new InvalidArgumentError('An integer from 1 to 1000000 is needed, or "default".');
}

function companiesCommand(): Command {
  const command = new Command('companies').description('companies and their partner banks');

  command
    .command('create')
    .description('create a company with its test and its production environment')
    .argument('<name>', 'unique name of the company', parseName)
    .addOption(jsonOption())
    .action((name: string, { json }: { json?: boolean }) =>
      runForOperator(async (companies) => {
        const company = await companies.create(name);
        print({ company_id: company.companyId, name: company.name }, json);
      }),
    );

  command
    .command('link-bank')
    .description("let a bank complete a company's contributions, which the company then cannot do itself")
    .addArgument(environmentArgument())
    .argument('<company>', 'name of the company')
    .argument('<bank>', 'name of the bank, a company too')
    .addOption(jsonOption())
    .action((kind: EnvironmentKind, company: string, bank: string, { json }: { json?: boolean }) =>
      runForOperator(async (companies) => {
        await companies.linkBank(kind, company, bank);
        print({ environment: kind, company, bank, linked: true }, json);
      }),
    );

  command
    .command('unlink-bank')
    .description('end a link; the bank can still complete what was created while it was linked')
    .addArgument(environmentArgument())
    .argument('<company>', 'name of the company')
    .argument('<bank>', 'name of the bank')
    .addOption(jsonOption())
    .action((kind: EnvironmentKind, company: string, bank: string, { json }: { json?: boolean }) =>
      runForOperator(async (companies) => {
        await companies.unlinkBank(kind, company, bank);
        print({ environment: kind, company, bank, linked: false }, json);
      }),
    );

  command
    .command('set-rate-limits')
    .description(
      'allow one environment another rate than the settings of the service do; what is left out stays',
    )
    .addArgument(environmentArgument())
    .argument('<company>', 'name of the company')
    .addOption(new Option('--requests-per-second <rate>', 'a rate, or "default"').argParser(parseRate))
    .addOption(new Option('--completions-per-second <rate>', 'a rate, or "default"').argParser(parseRate))
    .addOption(jsonOption())
    .action(
      (
        kind: EnvironmentKind,
        company: string,
        { json, ...limits }: Partial<RateLimits> & { json?: boolean },
      ) =>
        runForOperator(async (companies) => {
          const { requestsPerSecond, completionsPerSecond } = await companies.setRateLimits(
            kind,
            company,
            limits,
          );
          const shown = (rate: number | null) => (json ? rate : (rate ?? 'default'));
          print(
            {
              company,
              environment: kind,
              requests_per_second: shown(requestsPerSecond),
              completions_per_second: shown(completionsPerSecond),
            },
            json,
          );
        }),
    );

  return command;
}

function keysCommand(): Command {
  const command = new Command('keys').description('key pairs');

  command
    .command('issue')
    .description('issue a key pair; its secret is shown now and never again')
    .addArgument(environmentArgument())
    .argument('<company>', 'name of the company')
    .addOption(
      new Option('--scope <scope...>', 'restrict the pair').choices(scopes).default([...scopes], 'all'),
    )
    .addOption(new Option('--expires-in-days <days>', 'let it expire').argParser(parseDays))
    .addOption(jsonOption())
    .action(
      (
        kind: EnvironmentKind,
        company: string,
        options: { scope: Scope[]; expiresInDays?: number; json?: boolean },
      ) =>
        runForOperator(async (companies) => {
          const { expiresInDays: days } = options;
          const expiresAt = days === undefined ? undefined : new Date(Date.now() + days * 86_400_000);
          const pair = await companies.issueKeyPair({ company, kind, scopes: options.scope, expiresAt });
          print(
            {
              company,
              environment: kind,
              scopes: options.json ? options.scope : options.scope.join(' '),
              expires_at: expiresAt?.toISOString() ?? null,
              api_key: pair.apiKey,
              api_secret: pair.apiSecret,
            },
            options.json,
          );
        }),
    );

  command
    .command('revoke')
    .description('revoke a key pair at once, in every process')
    .argument('<api-key>', 'its API-Key')
    .addOption(jsonOption())
    .action((apiKey: string, { json }: { json?: boolean }) =>
      runForOperator(async (companies) => {
        await companies.revokeKeyPair(apiKey);
        print({ api_key: apiKey, revoked: true }, json);
      }),
    );

  return command;
}

const program = new Command(
  process.env['npm_lifecycle_event'] === 'ops' ? 'npm run ops --' : 'contribution-service',
)
  .description(
    "The operator's commands, for the database of DATABASE_URL or the embedded one of this checkout.",
  )
  .addCommand(companiesCommand())
  .addCommand(keysCommand())
  .addCommand(verifyCommand());

void program.parseAsync();
