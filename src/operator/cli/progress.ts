import type { Output } from './command-io';

const barWidth = 16;
const widestBar = barWidth + 10;
const usualColumns = 80;
const clearLine = '\r\u001b[K';

/** Shows the progress of long work. */
export type Progress = ReturnType<typeof createProgress>;

type Stream = Pick<Output, 'isTTY' | 'columns'> & { write: (text: string) => unknown };

/**
 * Rewrites one line of standard error. Writes nothing if it is not a terminal, to keep logs short.
 */
export function createProgress(stream: Stream) {
  return {
    /** @param done the completed share, 0 to 1 */
    show: (done: number, what: string) => {
      if (!stream.isTTY) return;
      const share = Math.min(1, Math.max(0, done));
      const filled = Math.round(share * barWidth);
      const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled);
      // Some terminals report 0 columns.
      const columns = stream.columns ?? 0;
      // A line that wraps could not be overwritten.
      const words = what.slice(0, Math.max(0, (columns > 0 ? columns : usualColumns) - widestBar));
      stream.write(`${clearLine}${bar} ${String(Math.round(share * 100)).padStart(3)} %  ${words}`);
    },
    /** Clears the line. */
    end: () => {
      if (stream.isTTY) stream.write(clearLine);
    },
  };
}
