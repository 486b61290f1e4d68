import { parentPort, workerData } from 'node:worker_threads';

import { StatementFileRefused } from '@contribution-service/bank-files';

import type { ThreadFile, ThreadReply } from './read-in-thread';
import { readLines } from './read-lines';
import { threadFolder } from './thread-cpu';

/** The file to read. This thread sends one batch of lines for each message. */
const given = workerData as ThreadFile;

const send = (reply: ThreadReply): void => parentPort?.postMessage(reply);

function reply(make: () => ThreadReply): void {
  try {
    send(make());
  } catch (error) {
    if (error instanceof StatementFileRefused) send({ refused: error.message });
    // Omit the message, because the messages of other errors may quote the file.
    else send({ failed: error instanceof Error ? error.name : 'unknown' });
  }
}

send({ folder: threadFolder() });
reply(() => {
  const { bytes, context } = given;
  // Release the bytes. Otherwise the file stays in memory until all lines are sent.
  given.bytes = new Uint8Array();
  const { file, batches } = readLines(bytes, context);
  parentPort?.on('message', () => {
    reply(() => ({ batch: batches.next().value ?? [] }));
  });
  return { file };
});
