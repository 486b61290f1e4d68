const barWidth = 16;
const widestBar = barWidth + 10;
const clearLine = '\r\u001b[K';

/** Shows how far long work is. */
export interface Progress {
  /** @param done a share from 0 to 1 */
  show: (done: number, what: string) => void;
  /** Takes the line away. */
  end: () => void;
}

type Stream = Pick<NodeJS.WriteStream, 'isTTY' | 'write'> & { columns?: number };

/**
 * One line on standard error that is written over on a terminal; elsewhere it would only fill a
 * log.
 */
export function createProgress(stream: Stream = process.stderr): Progress {
  return {
    show(done, what) {
      if (!stream.isTTY) return;
      const share = Math.min(1, Math.max(0, done));
      const filled = Math.round(share * barWidth);
      const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled);
      // A line that goes on in the next one could not be written over.
      const words = what.slice(0, Math.max(0, (stream.columns ?? 80) - widestBar));
      stream.write(`${clearLine}${bar} ${String(Math.round(share * 100)).padStart(3)} %  ${words}`);
    },
    end() {
      if (stream.isTTY) stream.write(clearLine);
    },
  };
}
