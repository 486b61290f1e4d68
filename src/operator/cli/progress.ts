const barWidth = 16;
const widestBar = barWidth + 10;
const clearLine = '\r\u001b[K';

/** Shows the progress of long work. */
export interface Progress {
  /** @param done the completed share, 0 to 1 */
  show: (done: number, what: string) => void;
  /** Clears the line. */
  end: () => void;
}

type Stream = Pick<NodeJS.WriteStream, 'isTTY' | 'write'> & { columns?: number };

/**
 * Rewrites one line on standard error. Writes nothing if it is not a terminal, to keep logs short.
 */
export function createProgress(stream: Stream = process.stderr): Progress {
  return {
    show(done, what) {
      if (!stream.isTTY) return;
      const share = Math.min(1, Math.max(0, done));
      const filled = Math.round(share * barWidth);
      const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled);
      // A line that wraps could not be overwritten.
      const words = what.slice(0, Math.max(0, (stream.columns ?? 80) - widestBar));
      stream.write(`${clearLine}${bar} ${String(Math.round(share * 100)).padStart(3)} %  ${words}`);
    },
    end() {
      if (stream.isTTY) stream.write(clearLine);
    },
  };
}
