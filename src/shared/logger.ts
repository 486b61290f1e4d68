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
  return pino(options, writeOncePerTurn(pino.destination({ dest: process.stdout.fd, sync: true })));
}

/**
 * Writes all lines of one turn of the event loop with one system call, which saves CPU under load.
 * A process that exits writes all its lines; a killed process loses at most those of its last turn.
 */
function writeOncePerTurn(destination: pino.DestinationStream): pino.DestinationStream {
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
