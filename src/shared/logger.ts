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
  return pino(options, pino.destination({ dest: process.stdout.fd, sync: true }));
}
