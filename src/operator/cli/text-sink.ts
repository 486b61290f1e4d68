import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';

import { OperatorError } from '../../shared/operator-error';

/** Takes a long text in parts. */
export interface TextSink {
  /** Waits while the reader is slow, so that memory stays constant. */
  write(text: string): Promise<void>;
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'no reason given');
const notWritten = (error: unknown): OperatorError =>
  new OperatorError(`The file cannot be written: ${reasonOf(error)}`, { cause: error });

const isClosedPipe = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EPIPE';

async function writeTo(stream: Writable, text: string): Promise<void> {
  // The reader has closed the pipe, as in `… | head`.
  const closed = (): OperatorError => new OperatorError('The output was closed before its end.');
  if (stream.destroyed) throw closed();
  if (stream.write(text)) return;
  const either = new AbortController();
  const { signal } = either;
  await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })])
    .catch((error: unknown) => {
      throw isClosedPipe(error) ? closed() : error;
    })
    .finally(() => {
      // Removes the listener of the other event.
      either.abort();
    });
}

/** Whether the path is a device, a pipe or a terminal. A file must not replace it. */
async function isSpecial(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

/**
 * Writes to a file, or to standard output if it has no name. The file appears under its name only
 * when it is complete. Writes directly to a device or a pipe, such as /dev/null.
 */
export async function withTextSink<T>(
  file: string | undefined,
  stdout: Writable,
  work: (sink: TextSink) => Promise<T>,
): Promise<T> {
  if (file === undefined) return work({ write: (text) => writeTo(stdout, text) });
  const isDirect = await isSpecial(file);
  const partial = isDirect ? file : `${file}.partial`;
  const stream = createWriteStream(partial);
  let failure: unknown;
  stream.on('error', (error) => (failure = error));
  try {
    await once(stream, 'open');
    const result = await work({ write: (text) => writeTo(stream, text) });
    stream.end();
    await once(stream, 'close');
    if (!isDirect) {
      await rename(partial, file).catch((error: unknown) => {
        throw (failure = error);
      });
    }
    return result;
  } catch (error) {
    stream.destroy();
    if (!isDirect) await rm(partial, { force: true });
    throw failure === undefined ? error : notWritten(failure);
  }
}
