import { type Config, ConfigurationError, loadConfig } from '../config';
import { loggable } from '../http/errors/loggable-error';
import { tuneHeap } from '../internals/v8-heap';
import { createLogger, type Logger } from '../shared/logger';
import { reportTracing, stopTracing } from '../tracing/tracing';
import { StartupError } from '../startup/startup-error';

export const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** The functions that stop the started parts. The last part stops first. */
export type Stops = (() => Promise<void>)[];

/**
 * Starts everything in order. It adds each part to `stops` as soon as the part runs, so a start
 * that fails or is interrupted leaves nothing running.
 */
export type Start = (config: Config, logger: Logger, stops: Stops) => Promise<void>;

function run(start: Start): void {
  const config = loadConfig(process.env);
  const logger = createLogger(config.LOG_LEVEL);
  reportTracing(logger);
  // Stop tracing last, after the last span.
  const stops: Stops = [stopTracing];

  const stopAll = async (): Promise<void> => {
    for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
  };
  const fail = (error: unknown): never => {
    if (error instanceof StartupError) print(error.message);
    else logger.fatal({ error: loggable(error) }, 'failed');
    process.exit(1);
  };
  // Node's default handler would print PostgreSQL's error details, which contain rows.
  process.on('uncaughtException', fail);

  const started = start(config, logger, stops).catch(async (error: unknown) => {
    await stopAll();
    fail(error);
  });

  let isStopping = false;
  const stop = (reason: string): void => {
    // With npm, Ctrl-C arrives twice, so a second signal does not mean "stop immediately".
    if (isStopping) return;
    isStopping = true;
    logger.info({ reason }, 'stopping');
    started.then(stopAll).then(() => process.exit(), fail);
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
    print(error.message);
    process.exit(1);
  }
}
