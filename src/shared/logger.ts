import { write, writeFileSync } from 'node:fs';

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
  return pino(options, createOutput(process.stdout.fd));
}

/** Lines that wait while the reader of the log is slow, in characters. More are lost. */
const mostWaiting = 8 * 1024 * 1024;
/** A process that ends waits for a stalled reader this long at most. */
const stalledMs = 1_000;

/**
 * Ends the process when its last line is written. While a write is blocked, `process.exit` would
 * wait for it, without a limit.
 */
export function exitAfterLog(logger: Logger, exitCode: number): void {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), stalledMs);
  logger.flush(() => process.exit(exitCode));
}

const isSlowReader = (error: NodeJS.ErrnoException): boolean => error.code === 'EAGAIN';

/**
 * Writes the lines of one turn of the event loop together, at its end. Under load, this is one
 * system call for many requests. Neither a reader that stalls nor a full disk stops the process:
 * lines are lost then, and a line says how many as soon as there is space.
 *
 * A process that ends by itself writes all lines. A process that is killed loses at most those of
 * its last turn.
 */
function createOutput(fd: number): pino.DestinationStream & { flush: (then: () => void) => void } {
  let lines = '';
  let lost = 0;
  let isWriting = false;
  let whenWritten: (() => void) | undefined;

  function writeNext(): void {
    if (isWriting) return;
    if (lines === '') {
      whenWritten?.();
      return;
    }
    const bytes = Buffer.from(lines);
    lines = '';
    isWriting = true;
    writeAll(bytes);
  }

  function writeAll(bytes: Buffer): void {
    write(fd, bytes, 0, bytes.length, null, (error, written) => {
      if (error && isSlowReader(error)) setTimeout(writeAll, 20, bytes);
      else if (!error && written < bytes.length) writeAll(bytes.subarray(written));
      else {
        isWriting = false;
        if (error) lost += countLines(bytes);
        else if (lost > 0) reportLost();
        writeNext();
      }
    });
  }

  /** Adds a line that says how many were lost before it. */
  function reportLost(): void {
    const count = lost;
    lost = 0;
    const line = { level: 40, time: new Date().toISOString(), count, msg: 'log lines were lost' };
    lines = `${JSON.stringify(line)}\n${lines}`;
  }

  process.on('exit', () => {
    // The thread that writes needs a moment, and no callback runs any more.
    if (isWriting) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    try {
      // Whether that write has ended is not known. A line break keeps a torn line apart.
      writeFileSync(fd, isWriting ? `\n${lines}` : lines);
    } catch {
      // Nobody reads the log any more, or there is no space.
    }
  });
  return {
    write(line) {
      if (lines.length > mostWaiting) {
        lost += 1;
        return;
      }
      if (lines === '') setImmediate(writeNext);
      lines += line;
    },
    flush(then) {
      whenWritten = then;
      writeNext();
    },
  };
}

const countLines = (bytes: Buffer): number => bytes.reduce((sum, byte) => (byte === 10 ? sum + 1 : sum), 0);
