/**
 * Ignores a closed pipe, as in `… | head`. The command still runs to its end, because it may have
 * to stop the embedded database.
 */
export function endQuietlyWithReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
