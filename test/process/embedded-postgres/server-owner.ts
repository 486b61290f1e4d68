import { startEmbeddedDatabase } from '../../../src/db/embedded-database';

/**
 * Runs the embedded server as the service does. The argument is a data folder. Reports one JSON
 * object per line, and stops the server at the first input.
 */
async function main(dataDirectory: string): Promise<void> {
  const report = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
  // A terminal's Ctrl-C reaches the whole group. The service drains first, so this process does not
  // exit either.
  process.on('SIGINT', () => undefined);
  const server = await startEmbeddedDatabase({
    dataDirectory,
    settings: { fsync: 'off' },
    onProgress: (progress) => {
      report({ progress });
    },
  });
  const { origin, processId } = server;
  report({ origin, processId, url: server.connectionString('owner') });
  process.stdin.once('data', () => {
    void server.stop().then(() => process.exit(0));
  });
}

main(process.argv[2] ?? '').catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
});
