import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';

import { OperatorError } from '../../shared/operator-error';
import type { CommandIo } from './command-io';
import { OutputLost } from './lost-output';

/** Takes a long text in parts. */
export interface TextSink {
  /** Waits while the reader is slow, so that memory stays constant. */
  write(text: string): Promise<void>;
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'no reason given');
const notWritten = (error: unknown): OperatorError =>
  new OperatorError(`The file cannot be written: ${reasonOf(error)}`, { cause: error });

/**
 * Waits while the stream is full, but no longer than it is open.
 *
 * @throws the error of the stream
 */
async function writeTo(stream: Writable, text: string): Promise<void> {
  // After an error, it emits neither event any more.
  if (stream.destroyed) throw stream.errored ?? new Error('it was closed');
  if (stream.write(text)) return;
  const either = new AbortController();
  const { signal } = either;
  await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]).finally(() => {
    // Removes the listener of the other event.
    either.abort();
  });
}

/** @throws OutputLost if standard output takes no more text */
async function print(io: Pick<CommandIo, 'stdout' | 'lost'>, text: string): Promise<void> {
  await writeTo(io.stdout, text).catch((error: unknown) => {
    throw new OutputLost(error);
  });
  if (io.lost) throw new OutputLost(io.lost);
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
  io: Pick<CommandIo, 'stdout' | 'lost'>,
  work: (sink: TextSink) => Promise<T>,
): Promise<T> {
  if (file === undefined) return work({ write: (text) => print(io, text) });
  const isDirect = await isSpecial(file);
  const partial = isDirect ? file : `${file}.partial`;
  const stream = createWriteStream(partial);
  let failure: unknown;
  stream.on('error', (error) => (failure = error));
  try {
    await once(stream, 'open');
    const result = await work({ write: (text) => writeTo(stream, text) });
    stream.end();
    await finished(stream);
    if (!isDirect) {
      await rename(partial, file).catch((error: unknown) => {
        throw (failure = error);
      });
    }
    return result;
  } catch (error) {
    stream.destroy();
    if (!isDirect) await rm(partial, { force: true });
    // The stream may not have emitted its error yet.
    const reason = failure ?? stream.errored ?? undefined;
    throw reason === undefined ? error : notWritten(reason);
  }
}
