/**
 * Lets a command go on to its end when its reader has enough, as in `… | head`. It is not ended at
 * once, because it may have a database to stop.
 */
export function endQuietlyWithReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
