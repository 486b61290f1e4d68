const barWidth = 24;
const clearLine = '\r\u001b[K';

/** Shows how far long work is. */
export interface Progress {
  /** @param done a share from 0 to 1 */
  show: (done: number, what: string) => void;
  /** Takes the line away. */
  end: () => void;
}

/** One line on standard error that is written over on a terminal; elsewhere it would only fill a log. */
export function createProgress(
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr,
): Progress {
  return {
    show(done, what) {
      if (!stream.isTTY) return;
      const filled = Math.round(Math.min(1, Math.max(0, done)) * barWidth);
      const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled);
      stream.write(`${clearLine}${bar} ${String(Math.round(done * 100)).padStart(3)} %  ${what}`);
    },
    end() {
      if (stream.isTTY) stream.write(clearLine);
    },
  };
}
