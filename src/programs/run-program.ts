import { type Config, ConfigurationError, readSettings } from '../read-settings';
import { listSettings } from '../contracts';
import { loggable } from '../http/errors/loggable-error';
import { tuneHeap } from '../internals/v8-heap';
import { createLogger, exitAfterLog, type Logger } from '../shared/logger';
import { reportTracing, stopTracing } from '../tracing/tracing';
import { StartupError } from '../startup/startup-error';

/** Prints text for a person at a terminal. */
export const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** The functions that stop the started parts. The last part stops first. */
export type Stops = (() => Promise<void>)[];

/**
 * Starts everything in order. It adds each part to `stops` as soon as the part runs, so a start
 * that fails or is interrupted leaves nothing running.
 */
export type Start = (config: Config, logger: Logger, stops: Stops) => Promise<void>;

function run(start: Start): void {
  // Nobody reads what it prints any more.
  process.stdout.on('error', () => undefined);
  const config = readSettings(process.env, listSettings());
  const logger = createLogger(config.LOG_LEVEL);
  reportTracing(logger);
  // Stop tracing last, after the last span.
  const stops: Stops = [stopTracing];

  const stopAll = async (): Promise<void> => {
    for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
  };
  const fail = (error: unknown): void => {
    if (error instanceof StartupError) logger.fatal(error.message);
    else logger.fatal({ error: loggable(error) }, 'failed');
    exitAfterLog(logger, 1);
  };
  let onUncaught: (error: unknown) => void = fail;
  // Node's default handler would print PostgreSQL's error details, which contain rows.
  process.on('uncaughtException', (error) => {
    onUncaught(error);
  });

  let isStopping = false;
  start(config, logger, stops).then(
    () => {
      onUncaught = logUncaught(logger);
    },
    async (error: unknown) => {
      // A start that was interrupted may fail, because its database is gone.
      if (isStopping) return;
      await stopAll();
      fail(error);
    },
  );

  const stop = (reason: string): void => {
    // With npm, Ctrl-C arrives twice, so a second signal does not mean "stop immediately".
    if (isStopping) return;
    isStopping = true;
    logger.info({ reason }, 'stopping');
    // Does not wait for the start. What it has not finished ends with the process.
    stopAll().then(() => {
      exitAfterLog(logger, Number(process.exitCode ?? 0));
    }, fail);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      stop(signal);
    });
  }
  if (process.env['npm_lifecycle_event'] !== undefined) {
    onParentExit(() => {
      stop('npm has ended');
    });
  }
}

/** The least time between two log lines about uncaught exceptions. */
const betweenUncaughtMs = 1_000;

/**
 * Logs an exception that nothing caught. A running program does not exit for it: one request could
 * otherwise end the requests of everybody, in one process after the other. The queries that
 * decide about money do not depend on the state of a process.
 */
function logUncaught(logger: Logger): (error: unknown) => void {
  let loggedAt = -Infinity;
  let omitted = 0;
  return (error) => {
    const now = performance.now();
    if (now - loggedAt < betweenUncaughtMs) {
      omitted += 1;
      return;
    }
    logger.error({ error: loggable(error), omitted: omitted || undefined }, 'uncaught exception');
    loggedAt = now;
    omitted = 0;
  };
}

/**
 * npm sends SIGTERM to the shell that started this process. The shell exits without forwarding it.
 */
function onParentExit(then: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    then();
  }, 100);
  timer.unref();
}

/** Reads the configuration, starts, and stops on a signal. Exits with 1 if the start fails. */
export function runProgram(start: Start): void {
  tuneHeap();
  try {
    run(start);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    createLogger('fatal').fatal({ problems: error.problems }, 'The configuration is invalid');
    process.exit(1);
  }
}
