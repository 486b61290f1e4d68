import { readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { ContributionService } from '../client.js';
import { ContributionError, InvalidInput } from '../errors.js';
import { version } from '../generated/api.js';
import type { Logger } from '../logging.js';
import { bank } from './bank.js';
import {
  type Command,
  type ExitCode,
  suggestionFor,
  UsageError,
  type Values,
  withAdvice,
} from './command.js';
import { conform } from './conform/conform.js';
import { doctor } from './doctor.js';
import { fault } from './fault.js';
import { listen } from './listen.js';
import { replay } from './replay.js';
import { requests } from './requests.js';
import { resend } from './resend.js';
import { reset } from './reset.js';
import { settings } from './settings.js';
import { settle } from './settle.js';
import { tail } from './tail.js';

/** Every command, by its name. */
export const commands: Readonly<Record<string, Command>> = {
  doctor,
  settings,
  settle,
  requests,
  fault,
  reset,
  tail,
  listen,
  resend,
  replay,
  bank,
  conform,
};

const common = {
  help: { type: 'boolean' },
  json: { type: 'boolean' },
  production: { type: 'boolean' },
} as const;

const commonHelp = `Environment variables:
  CONTRIBUTION_API_URL      address of the API, such as https://api.example.org/company/integration
  CONTRIBUTION_API_KEY      your API-Key
  CONTRIBUTION_API_SECRET   your API-Secret. Or set CONTRIBUTION_API_SECRET_FILE to the name of a
                            file that contains it

Options of every command:
  --json         print JSON
  --production   accept a production pair; only for doctor and tail, which change nothing
  --help         show this help

Exit codes: 0 success, 1 rejected or failed, 2 invalid usage, 4 changed, but the result could not be
written`;

const overview = (): string => `Usage: contribution-service-sdk COMMAND [OPTIONS]

In the folder in which you installed it, run: ./node_modules/.bin/contribution-service-sdk

${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`)
  .join('\n')}

${commonHelp}
Run a command with --help for its options.`;

export interface Output {
  /** Asks a question on the terminal. Absent without a terminal. */
  ask?: ((question: string) => Promise<string>) | undefined;
  out: (line: string) => void;
  error: (line: string) => void;
  /** Aborted, with the error as its reason, when `out` has lost a line. */
  lost?: AbortSignal | undefined;
}

type Variables = Readonly<Record<string, string | undefined>>;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'no reason given');

/** @throws UsageError that does not contain the secret */
function secretOf(variables: Variables): string {
  const { CONTRIBUTION_API_SECRET: given = '', CONTRIBUTION_API_SECRET_FILE: file = '' } = variables;
  if (file === '') return given;
  if (given !== '')
    throw new UsageError('Set only one of CONTRIBUTION_API_SECRET and CONTRIBUTION_API_SECRET_FILE.');
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    // The value may be the secret itself, by mistake. The messages of the system contain it.
    const { code = 'no reason given' } = error as NodeJS.ErrnoException;
    throw new UsageError(`CONTRIBUTION_API_SECRET_FILE: cannot read the file that it names (${code}).`);
  }
}

/**
 * Reads the pair and the address from variables and a file only, because other accounts can read
 * arguments.
 */
function credentials(variables: Variables): { apiKey: string; apiSecret: string; apiUrl: string } {
  const { CONTRIBUTION_API_URL: apiUrl = '', CONTRIBUTION_API_KEY: apiKey = '' } = variables;
  const apiSecret = secretOf(variables);
  const missing = Object.entries({
    CONTRIBUTION_API_URL: apiUrl,
    CONTRIBUTION_API_KEY: apiKey,
    CONTRIBUTION_API_SECRET: apiSecret,
  })
    .filter(([, value]) => value === '')
    .map(([name]) => name);
  if (missing.length > 0) throw new UsageError(`Set the environment variables: ${missing.join(', ')}.`);
  return { apiKey, apiSecret, apiUrl };
}

/** @throws UsageError for a production pair that the command does not accept */
function environmentOf(command: Command, apiKey: string, values: Values): 'test' | 'production' {
  if (!apiKey.startsWith('cpk_production_')) return 'test';
  if (values['production'] !== true)
    throw new UsageError(
      'This is a production pair. Use a test pair. Only doctor and tail accept a production pair, with --production.',
    );
  if (!command.worksInProduction)
    throw new UsageError('This command works only with a test pair. It could change production data.');
  return 'production';
}

/** Describes an invalid option. Only the first line of Node's message applies here. */
function problemOf({ message }: Error, known: readonly string[]): string {
  const [, unknown] = /^Unknown option '(-+[^']*)'/.exec(message) ?? [];
  if (unknown === undefined) return message.split('\n')[0] ?? message;
  return `Unknown option ${unknown}. ${suggestionFor(
    unknown,
    known.map((name) => `--${name}`),
  )}`;
}

function parse(command: Command, args: readonly string[]): { values: Values; positionals: string[] } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...command.options, ...common },
      allowPositionals: true,
    });
    return { values: values, positionals };
  } catch (error) {
    throw new UsageError(problemOf(error as Error, Object.keys({ ...command.options, ...common })));
  }
}

/** The exit code of a command that lost a part of its output. A reader may stop early. */
function exitCodeOfLost(reason: unknown, changed: string | undefined, { error }: Output): ExitCode {
  if (changed !== undefined) {
    error(`The change was made, but its result is lost (${messageOf(reason)}). ${changed}`);
    return 4;
  }
  if ((reason as { code?: unknown }).code === 'EPIPE') return 0;
  error(`The output cannot be written: ${messageOf(reason)}. The service has changed nothing.`);
  return 1;
}

const isDryRun = (body: unknown): boolean => typeof body === 'string' && body.includes('"dry_run":true');

/** Counts the successful requests that change something: neither a GET nor a dry run. */
function countingChanges() {
  let count = 0;
  return {
    count: () => count,
    note: (): void => {
      count += 1;
    },
    fetch: async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const response = await fetch(input, init);
      const isRead = (init?.method ?? 'GET') === 'GET' || isDryRun(init?.body);
      if (!isRead && response.ok) count += 1;
      return response;
    },
  };
}

/** A logger that says once that the command waits, because it prints nothing meanwhile. */
function sayingOnceThatItWaits({ error }: Output): Logger {
  let isSaid = false;
  return ({ status, retryInMs }) => {
    if (status !== 429 || retryInMs === undefined || isSaid) return;
    isSaid = true;
    error(`The rate limit is exceeded. The command continues in ${Math.ceil(retryInMs / 1_000)} s.`);
  };
}

async function runCommand(
  command: Command,
  args: readonly string[],
  variables: Variables,
  output: Output,
): Promise<ExitCode> {
  const { ask, out, lost = new AbortController().signal } = output;
  const { values, positionals } = parse(command, args);
  if (values['help'] === true) {
    out(`${command.help}\n\n${commonHelp}`);
    return 0;
  }
  const pair = credentials(variables);
  const expectEnvironment = environmentOf(command, pair.apiKey, values);
  const changes = countingChanges();
  const logger = sayingOnceThatItWaits(output);
  const exitCode = await command.run({
    client: (options = {}) =>
      new ContributionService({ ...pair, expectEnvironment, fetch: changes.fetch, logger, ...options }),
    apiUrl: pair.apiUrl,
    variables: { ...variables, CONTRIBUTION_API_SECRET: pair.apiSecret },
    values,
    positionals,
    ask,
    lost,
    noteChange: changes.note,
    print: (data, text) => {
      out(values['json'] === true ? JSON.stringify(data) : text);
    },
  });
  // A stream reports its error after the write has returned.
  await nextTurn();
  if (!lost.aborted) return exitCode;
  return exitCodeOfLost(lost.reason, changes.count() > 0 ? command.left : undefined, output);
}

/** Runs the command. It reads only its parameters. */
export async function run(args: readonly string[], variables: Variables, output: Output): Promise<ExitCode> {
  try {
    if (args.some((each) => each.includes('cps_')))
      throw new UsageError(
        'Never pass the secret as an argument. Set the environment variable CONTRIBUTION_API_SECRET.',
      );
    const [name, ...rest] = args;
    if (name === undefined || name === '--help' || name === 'help') {
      output.out(overview());
      return name === undefined ? 2 : 0;
    }
    if (name === '--version') {
      output.out(version);
      return 0;
    }
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (!command)
      throw new UsageError(`Unknown command: ${name}. ${suggestionFor(name, Object.keys(commands))}`);
    return await runCommand(command, rest, variables, output);
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof ContributionError)) throw error;
    const isUsage = error instanceof UsageError || error instanceof InvalidInput;
    error.message = withAdvice(error.message);
    if (args.includes('--json')) output.out(JSON.stringify(failureOf(error)));
    else output.error(error.message);
    return isUsage ? 2 : 1;
  }
}

/** An error as data. */
function failureOf(error: Error): object {
  const { code, requestId } = error as { code?: unknown; requestId?: unknown };
  return { error: { name: error.name, message: error.message, code, request_id: requestId } };
}
