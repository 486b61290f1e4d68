import { Argument, Command, InvalidArgumentError, Option } from 'commander';

import { nameProblem } from '../../shared/company-name';
import { environmentKinds } from '../../shared/scopes';
import { parseTransactionId, transactionIdLength } from '../../shared/transaction-id';
import { isUuid } from '../../shared/uuid';
import type { CommandIo } from './command-io';
import { printJson, printRecord } from './output';

export const environmentArgument = (): Argument =>
  new Argument('<environment>', 'environment of the company').choices(environmentKinds);

export const environmentOption = (): Option =>
  new Option('--environment <environment>', 'only this environment').choices(environmentKinds);

/** A command that only reads. */
export const readCommand = (name: string, description: string): Command =>
  new Command(name).description(description).option('--json', 'print one line of JSON');

/** A command that changes something. */
export const changeCommand = (name: string, description: string): Command =>
  readCommand(name, description).option('--dry-run', 'show what would change, without changing it');

/** A command that says what it will do, and asks for confirmation. */
export const confirmedCommand = (name: string, description: string): Command =>
  changeCommand(name, description).option('-y, --yes', 'do not ask for confirmation (for scripts)');

/** A command that cannot be undone. */
export const finalCommand = (name: string, description: string): Command =>
  confirmedCommand(name, `${description}. This cannot be undone`);

/** Prints the result of a command that changes something. */
export function printResult(
  io: CommandIo,
  { json, dryRun }: { json?: boolean; dryRun?: boolean },
  record: Readonly<Record<string, unknown>>,
): void {
  if (json) printJson(io, dryRun ? { ...record, dry_run: true } : record);
  else printRecord(io, record);
}

/** Parses an id as people write it, and returns it as the database stores it. */
export function readTransactionId(text: string): string {
  const id = parseTransactionId(text);
  if (id) return id.transactionId;
  const characters = text.replace(/[\s-]/g, '').length;
  throw new InvalidArgumentError(
    characters === transactionIdLength
      ? 'The last character (the check character) does not match the rest. Check for a typing error.'
      : `A transaction_id has ${transactionIdLength} characters, but this text has ${characters}.`,
  );
}

export const transactionIdArgument = (): Argument =>
  new Argument('<transaction-id>', 'transaction_id; case, spaces and hyphens do not matter').argParser(
    readTransactionId,
  );

/** A parser of whole numbers within inclusive bounds. */
export function wholeNumber(minimum: number, maximum: number) {
  return (text: string): number => {
    const number = /^-?\d+$/.test(text) ? Number(text) : NaN;
    if (number >= minimum && number <= maximum) return number;
    throw new InvalidArgumentError(`Enter a whole number from ${minimum} to ${maximum}.`);
  };
}

/** Parses a UTC time. A date means its midnight. */
export function parseTime(text: string): Date {
  const isKnownForm = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?Z)?$/.test(text);
  const time = new Date(text);
  if (isKnownForm && !Number.isNaN(time.getTime())) return time;
  throw new InvalidArgumentError('Enter a UTC time such as 2026-01-31 or 2026-01-31T08:00:00Z.');
}

export function parseDay(text: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw new InvalidArgumentError('Enter a day such as 2026-01-31.');
}

/**
 * Rejects a range that ends before it starts. The empty result would look as if nothing had to be
 * done.
 */
export const withOrderedRange = (command: Command): Command =>
  command.hook('preAction', (_, action) => {
    const { from, to } = action.opts<{ from?: Date | string; to?: Date | string }>();
    if (from === undefined || to === undefined || new Date(from) < new Date(to)) return;
    action.error('error: --to must be later than --from.');
  });

/** A parser of ids that the service generated, with the message for another text. */
export const parseUuid =
  (advice: string) =>
  (text: string): string => {
    if (isUuid(text)) return text.toLowerCase();
    throw new InvalidArgumentError(advice);
  };

export function parseReason(text: string): string {
  const reason = text.trim();
  if (reason.length >= 1 && reason.length <= 500 && !/\p{Cc}/u.test(reason)) return reason;
  throw new InvalidArgumentError('Enter one line of 1 to 500 characters.');
}

export function parseCompanyName(text: string): string {
  const name = text.trim();
  const problem = nameProblem(name);
  if (problem === undefined) return name;
  throw new InvalidArgumentError(problem);
}

export const limitOption = (byDefault: number): Option =>
  new Option('--limit <count>', 'maximum number of rows')
    .argParser(wholeNumber(1, 100_000))
    .default(byDefault);

export const skipOption = (): Option =>
  new Option('--skip <count>', 'skip this many rows').argParser(wholeNumber(0, 100_000_000)).default(0);

/** The time in this number of days; undefined without a number. */
export const inDays = (days: number | undefined): Date | undefined =>
  days === undefined ? undefined : new Date(Date.now() + days * 86_400_000);

/** A UTC day, in this number of days from now. */
export const dayIn = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
