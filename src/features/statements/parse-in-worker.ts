import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';

import { StatementFileRefused } from '@contribution-service/bank-files';

import type { SourceEntry } from './matching/source-entries';
import { type FileEntries, type ParseContext, type ParsedFile, parseStatementFile } from './parsed-file';

/** A file that is being read. */
export interface OpenFile extends FileEntries<AsyncIterable<SourceEntry[]>> {
  /** Stops reading, even before the last set. */
  close: () => Promise<void>;
}

/**
 * Reads a file. The caller must close it. The function may take over the memory of `bytes`.
 *
 * @throws StatementFileRefused if the file as a whole cannot be read
 */
export type ParseFile = (bytes: Buffer, context: ParseContext) => Promise<OpenFile>;

/** The input of the thread. */
export interface WorkerFile {
  bytes: Uint8Array<ArrayBuffer>;
  context: ParseContext;
}

/**
 * The messages of the thread: first the file, then one set for each request. The last set is empty.
 */
export type ParseReply =
  { file: ParsedFile } | { set: SourceEntry[] } | { refused: string } | { failed: string };

const longestMs = 60_000;
const heapLimitMb = 128;
/** Small, because memory matters more here than the time for garbage collection. */
const youngHeapLimitMb = 2;
const compiled = path.join(__dirname, 'parse.worker.js');

const tooLarge = (): StatementFileRefused =>
  new StatementFileRefused('Reading the file takes too much memory or time. Split it.');

/** Receives the messages of a thread, and fails when it ends. */
function receiver(worker: Worker): { receive: () => Promise<ParseReply>; fail: (error: Error) => void } {
  const ended = new AbortController();
  const fail = (error: Error): void => {
    ended.abort(error);
  };
  worker.on('error', (error: NodeJS.ErrnoException) => {
    fail(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooLarge() : error);
  });
  worker.on('exit', () => {
    fail(new Error('the thread that reads a statement has stopped'));
  });
  return {
    fail,
    async receive() {
      const [reply] = (await once(worker, 'message', { signal: ended.signal }).catch((error: unknown) => {
        throw ended.signal.aborted ? ended.signal.reason : error;
      })) as [ParseReply];
      if ('refused' in reply) throw new StatementFileRefused(reply.refused);
      if ('failed' in reply) throw new Error(reply.failed);
      return reply;
    },
  };
}

/**
 * Returns memory that contains only these bytes, so that a thread can take it over. Copies if
 * needed.
 */
function transferable(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes);
}

/**
 * Reads a file in a separate thread with limits, so that a hostile file neither blocks the service
 * nor exhausts its memory. The thread keeps the entries, and sends them in sets.
 */
async function parseInWorker(bytes: Buffer, context: ParseContext): Promise<OpenFile> {
  const given: WorkerFile = { bytes: transferable(bytes), context };
  const worker = new Worker(compiled, {
    workerData: given,
    transferList: [given.bytes.buffer],
    resourceLimits: { maxOldGenerationSizeMb: heapLimitMb, maxYoungGenerationSizeMb: youngHeapLimitMb },
    stderr: true,
  });
  const { receive, fail } = receiver(worker);
  const close = async (): Promise<void> => {
    await worker.terminate();
  };
  async function* sets(): AsyncGenerator<SourceEntry[], void> {
    for (;;) {
      worker.postMessage('next');
      const reply = await receive();
      if (!('set' in reply) || reply.set.length === 0) return;
      yield reply.set;
    }
  }
  const timer = setTimeout(() => {
    fail(tooLarge());
  }, longestMs);
  try {
    const reply = await receive();
    if (!('file' in reply)) throw new Error('the thread that reads a statement sent a set first');
    return { file: reply.file, sets: sets(), close };
  } catch (error) {
    await close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function parseHere(bytes: Buffer, context: ParseContext): Promise<OpenFile> {
  const { file, sets } = await Promise.resolve().then(() => parseStatementFile(bytes, context));
  return { file, sets: inTurn(sets), close: () => Promise.resolve() };
}

async function* inTurn<Item>(items: Iterable<Item>): AsyncGenerator<Item, void> {
  for (const item of items) yield await Promise.resolve(item);
}

/** Only the compiled program has a file for the thread. Tests run from sources, without it. */
export const parseFile: ParseFile = existsSync(compiled) ? parseInWorker : parseHere;
