import type { ParseArgsConfig } from 'node:util';

import type { ContributionService } from '../client.js';
import { RequestRejected } from '../errors.js';
import { distance, isNear, plain } from '../names.js';
import type { ContributionServiceOptions } from '../options.js';

/**
 * 0: success. 1: the service rejected the request, or a check failed. 2: invalid usage. 4: changed,
 * but the result could not be written.
 */
export type ExitCode = 0 | 1 | 2 | 4;

export type Values = Readonly<Record<string, string | boolean | undefined>>;

/** The input of a command. */
export interface Context {
  /** Builds the client. @throws InvalidInput for wrong credentials or a wrong address */
  client: (options?: Partial<ContributionServiceOptions>) => ContributionService;
  /** The address of the API, as the user wrote it. */
  apiUrl: string;
  /** The environment variables, for programs that the command starts. */
  variables: Readonly<Record<string, string | undefined>>;
  values: Values;
  positionals: readonly string[];
  /** Asks a question on the terminal. Undefined without a terminal. */
  ask: ((question: string) => Promise<string>) | undefined;
  /** Notes a change that `client` does not make, such as one of a program. */
  noteChange: () => void;
  /** Aborted when standard output takes no more text. */
  lost: AbortSignal;
  /** Prints a result: text for people, or with --json the data as one line. */
  print: (data: unknown, text: string) => void;
}

export interface Command {
  summary: string;
  help: string;
  options: NonNullable<ParseArgsConfig['options']>;
  /** Whether the command accepts a production pair. Such a command changes nothing. */
  worksInProduction: boolean;
  /**
   * Sentences for a user who saw no result: what the command changed, and how to see or undo it.
   * Undefined for a command that changes nothing. It stops when its output is lost.
   */
  left: string | undefined;
  run: (context: Context) => Promise<ExitCode>;
}

/** Invalid usage of the command. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}

/** A sentence that suggests the nearest known name, or else lists all of them. */
export function suggestionFor(given: string, known: readonly string[]): string {
  const near = known
    .filter((name) => isNear(given, name))
    .map((name) => ({ name, changes: distance(plain(given), plain(name)) }))
    .sort((a, b) => a.changes - b.changes);
  const [meant] = near;
  if (meant === undefined) return `Known: ${known.join(', ')}.`;
  // A part of several names is no misspelling of the shortest one.
  const isPart = meant.changes > plain(given).length / 3;
  return `Did you mean ${isPart ? near.map(({ name }) => name).join(' or ') : meant.name}?`;
}

/** The message of a failed request. Adds advice if the client used TLS on a port for plain HTTP. */
export const withAdvice = (message: string): string =>
  /SSL routines|wrong version number|packet length too long/i.test(message)
    ? `${message.replace(/ Last failure: [^]*/, '')} This port does not speak TLS. For the demo, use http:// in CONTRIBUTION_API_URL.`
    : message;

/** The same rejection with another text. */
export const withDetail = (
  { status, code, retryable, requestId, retryAfterMs }: RequestRejected,
  detail: string,
): RequestRejected =>
  new RequestRejected({ status, code, detail, errors: [], retryable, requestId, retryAfterMs });

/** An option that is a whole number. */
export function integerOf(values: Values, name: string): number | undefined {
  const text = values[name];
  if (text === undefined) return undefined;
  if (typeof text !== 'string' || !/^\d{1,9}$/.test(text))
    throw new UsageError(`--${name} must be a whole number.`);
  return Number(text);
}

/** An option that is text. */
export function textOf(values: Values, name: string): string | undefined {
  const text = values[name];
  return typeof text === 'string' ? text : undefined;
}

/** Columns of text with two spaces between them. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => (row[index] ?? '').length)));
  return rows
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
