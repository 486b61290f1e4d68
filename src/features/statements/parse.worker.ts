import { parentPort, workerData } from 'node:worker_threads';

import { StatementFileRefused } from '@contribution-service/bank-files';

import type { ParseReply, WorkerFile } from './parse-in-worker';
import { parseStatementFile } from './parsed-file';

/** The file to read. This thread sends one set of entries for each message. */
const given = workerData as WorkerFile;

function reply(make: () => ParseReply): void {
  const send = (message: ParseReply): void => parentPort?.postMessage(message);
  try {
    send(make());
  } catch (error) {
    if (error instanceof StatementFileRefused) send({ refused: error.message });
    // Omit the message, because the messages of other errors may quote the file.
    else send({ failed: `the statement cannot be read: ${error instanceof Error ? error.name : 'unknown'}` });
  }
}

reply(() => {
  const { bytes, context } = given;
  // Release the bytes. Otherwise the file stays in memory until all sets are sent.
  given.bytes = new Uint8Array();
  const { file, sets } = parseStatementFile(bytes, context);
  parentPort?.on('message', () => {
    reply(() => ({ set: sets.next().value ?? [] }));
  });
  return { file };
});
