import { parentPort, workerData } from 'node:worker_threads';

import { StatementFileRefused } from '@contribution-service/bank-files';

import { readFile, type ReadContext } from './read-file';
import type { ThreadReply, ThreadRequest } from './read-in-thread';
import { threadFolder } from './thread-cpu';

const send = (reply: ThreadReply): void => parentPort?.postMessage(reply);

let take: (request: ThreadRequest) => void = () => undefined;
parentPort?.on('message', (request: ThreadRequest) => {
  take(request);
});

function fail(error: unknown): void {
  if (error instanceof StatementFileRefused) send({ refused: error.message });
  // Omit the message, because the messages of other errors may quote the file.
  else send({ failed: error instanceof Error ? error.name : 'unknown' });
}

/** The bytes of the file. The thread asks for each piece. */
async function* pieces(): AsyncGenerator<Uint8Array, void> {
  for (;;) {
    const asked = new Promise<ThreadRequest>((resolve) => (take = resolve));
    send({ isHungry: true });
    const { piece } = await asked;
    if (!piece) return;
    yield piece;
  }
}

async function main(): Promise<void> {
  const { file, parts } = await readFile(pieces(), workerData as ReadContext);
  take = () => {
    try {
      send({ part: parts.next().value ?? null });
    } catch (error) {
      fail(error);
    }
  };
  send({ file });
}

send({ folder: threadFolder() });
main().catch(fail);
