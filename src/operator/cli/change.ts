import type { Config } from '../../read-settings';
import type { Queries, TransactionMode } from '../../db/operator-transaction';
import { operatorRoleProblem, readOperatorRoleState } from '../../db/roles/role-state';
import { OperatorError } from '../../shared/operator-error';
import { createOperatorActionsStore } from '../audit/operator-actions.store';
import { claimedOperator } from './claimed-operator';
import { type CommandIo, printLine } from './command-io';
import { confirm } from './confirm';
import { lostOutput, ResultLost } from './lost-output';
import { type Build, inTransaction, runCommand, styled, withOperatorUrl } from './operator';
import { printResult } from './options';

/** A command that changes something, and its entry in the audit log. */
export interface Change<Services, Result> {
  /** The name of the command, such as "keys revoke". */
  command: string;
  /** Recorded in the audit log, so it never contains a secret, a user hash or a user's name. */
  arguments?: Readonly<Record<string, unknown>>;
  /**
   * Fails if CREDENTIAL_PEPPERS is not set: the service could not read what the command stores.
   */
  needsPeppers?: boolean;
  /** The question before the change. Undefined if there is nothing to confirm. */
  question?: (services: Services) => Promise<string | undefined>;
  work: (services: Services) => Promise<Result>;
  /** The target and the result for the audit log, with the same restriction as `arguments`. */
  record: (result: Result) => { target: string | null; result: Readonly<Record<string, unknown>> };
  /**
   * Sentences for an operator who saw no result: what exists now, and the command that undoes it.
   * Undefined if nothing changed.
   */
  leaves: (result: Result) => string | undefined;
  /** Only a command that shows a secret, which nobody can show again, has this member. */
  secret?: {
    /** Revokes the secret if it could not be shown. */
    revocation: (result: Result) => Change<Services, void>;
    /** The sentences instead of `leaves` after the revocation. */
    afterRevocation: (result: Result) => string;
  };
}

export interface ChangeOptions {
  dryRun?: boolean;
  yes?: boolean;
  json?: boolean;
}

/**
 * Warns if the login could also change the audit log. Not for the embedded database, which has only
 * one login.
 */
async function warnOfOwner(io: CommandIo, config: Config, queries: Queries): Promise<void> {
  if (config.DATABASE_URL === undefined) return;
  const problem = operatorRoleProblem(await readOperatorRoleState(queries));
  if (problem !== undefined) printLine(io.stderr, styled(io, 'yellow', `Warning: ${problem}`, io.stderr));
}

type Shown = Readonly<Record<string, unknown>> | undefined;

/** The database and the settings of one run of a command. */
interface Place<Services> {
  build: Build<Services>;
  io: CommandIo;
  config: Config;
  operatorUrl: string;
}

/** Makes the change and adds its audit log entry, in one transaction. */
function change<Services, Result>(
  { build, io, config, operatorUrl }: Place<Services>,
  mode: TransactionMode,
  { command, work, record, arguments: recordedArguments = {} }: Change<Services, Result>,
): Promise<Result> {
  return inTransaction(config, operatorUrl, mode, async (queries, peppers) => {
    await warnOfOwner(io, config, queries);
    const done = await work(build(queries, peppers));
    const { target, result } = record(done);
    await createOperatorActionsStore(queries).record({
      claimedOperator: claimedOperator(config.OPERATOR, io.environment),
      command,
      target,
      arguments: recordedArguments,
      result,
    });
    return done;
  });
}

/** On a terminal, a person sees before a change that it is made in production. */
function markProduction({ io, config, operatorUrl }: Place<unknown>): void {
  if (config.NODE_ENV !== 'production' || !io.stderr.isTTY) return;
  const { hostname, pathname } = new URL(operatorUrl);
  const text = `PRODUCTION: database ${decodeURIComponent(pathname.slice(1))} at ${hostname}`;
  printLine(io.stderr, styled(io, 'red', text, io.stderr));
}

/** @throws OperatorError if the command would not have the effect that its user expects */
function checkSettings<Services, Result>(
  { io, config }: Place<Services>,
  { needsPeppers, secret }: Change<Services, Result>,
  isDryRun: boolean,
): void {
  const hasForeignPepper = config.DATABASE_URL !== undefined && config.CREDENTIAL_PEPPERS === undefined;
  if (needsPeppers && hasForeignPepper) {
    throw new OperatorError(
      'CREDENTIAL_PEPPERS is not set. Run this command with the peppers of the service: otherwise it cannot read the file.',
    );
  }
  if (!secret) return;
  if (io.isDiscarded && !isDryRun) {
    throw new OperatorError(
      'Standard output is closed or /dev/null, so nobody would see the new secret. Nothing changed.',
    );
  }
  if (hasForeignPepper) {
    printLine(
      io.stderr,
      'Note: CREDENTIAL_PEPPERS is not set; new key pairs work only with the pepper of DATA_DIRECTORY.',
    );
  }
}

/** Revokes a secret that nobody saw. Returns what exists after that. */
async function leftOf<Services, Result>(
  place: Place<Services>,
  { leaves, secret }: Change<Services, Result>,
  result: Result,
): Promise<string | undefined> {
  if (!secret) return leaves(result);
  try {
    await change(place, 'write', secret.revocation(result));
    return secret.afterRevocation(result);
  } catch {
    // The sentences of `leaves` contain the command that revokes it.
    return leaves(result);
  }
}

/** Reads in a separate transaction. */
export type Read<Services> = <T>(work: (services: Services) => Promise<T>) => Promise<T>;

/**
 * Runs a command that changes something, and adds its audit log entry in the same transaction. A
 * dry run rolls back. Shows the result after the commit. If the result is lost after a change, the
 * exit code is 4 and an error says what exists now.
 *
 * @param show prints the result, or returns its members
 */
export const changeWith =
  <Services>(build: Build<Services>) =>
  <Result>(
    io: CommandIo,
    command: Change<Services, Result>,
    options: ChangeOptions,
    show: (result: Result, read: Read<Services>) => Shown | Promise<Shown>,
  ): Promise<void> =>
    runCommand(io, (config) =>
      withOperatorUrl(config, async (operatorUrl) => {
        const { dryRun = false, yes = false } = options;
        const place = { build, io, config, operatorUrl };
        const read: Read<Services> = (work) =>
          inTransaction(config, operatorUrl, 'read', (...transaction) => work(build(...transaction)));
        checkSettings(place, command, dryRun);
        if (!dryRun) markProduction(place);
        if (command.question && !dryRun) {
          const question = await read(command.question);
          if (question !== undefined) await confirm(question, yes, io);
        }
        const result = await change(place, dryRun ? 'dry-run' : 'write', command);
        const print = async (): Promise<void> => {
          const members = await show(result, read);
          if (members) printResult(io, options, members);
        };
        if (dryRun) {
          await print();
          printLine(io.stderr, 'Dry run: nothing changed.');
          return;
        }
        const failure = await failureOf(io, print);
        if (failure === undefined) return;
        const left = await leftOf(place, command, result);
        if (left !== undefined) throw new ResultLost(failure, left);
        // Nothing changed, so `runCommandLine` reports the lost output, as for other commands.
        if (failure !== io.lost) throw failure;
      }),
    );

/** Prints a result. Returns what prevented it, or lost a part of it. */
async function failureOf(io: CommandIo, print: () => Promise<void>): Promise<Error | undefined> {
  try {
    await print();
    return await lostOutput(io);
  } catch (error) {
    return error instanceof Error ? error : new Error('no reason given', { cause: error });
  }
}
