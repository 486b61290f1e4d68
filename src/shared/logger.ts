import pino from 'pino';

export type Logger = pino.Logger;

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * Logs JSON lines to standard output. Callers pass each field explicitly, and never headers,
 * bodies, URLs or user hashes.
 */
export function createLogger(level: LogLevel): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(options, oncePerTurn(pino.destination({ dest: process.stdout.fd, sync: true })));
}

/**
 * Writes the lines of one turn of the event loop together, at its end. Under load, this is one
 * system call for many requests. One call per line costs 3 of the 40 µs of CPU time that a main
 * component without a user takes (profile of 96,000 requests). A process that ends by itself writes
 * all lines. A process that is killed loses at most those of its last turn.
 */
function oncePerTurn(destination: pino.DestinationStream): pino.DestinationStream {
  let lines = '';
  const flush = (): void => {
    const text = lines;
    lines = '';
    if (text !== '') destination.write(text);
  };
  process.on('exit', flush);
  return {
    write(line) {
      if (lines === '') setImmediate(flush);
      lines += line;
    },
  };
}
