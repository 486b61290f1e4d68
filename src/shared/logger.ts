import pino from 'pino';

export type Logger = pino.Logger;

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * Structured logs on standard output, one JSON object per line.
 * Callers name what they log: headers, bodies, URLs and user hashes are never handed to it.
 */
export function createLogger(level: LogLevel): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(options, writeOnceInATurn(pino.destination({ dest: process.stdout.fd, sync: true })));
}

/**
 * Writes the lines of one turn of the event loop together, at its end: under load one system call
 * for many requests. A process that ends by itself has written all of them; one that is killed has
 * lost those of its last turn at most.
 */
function writeOnceInATurn(destination: pino.DestinationStream): pino.DestinationStream {
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
