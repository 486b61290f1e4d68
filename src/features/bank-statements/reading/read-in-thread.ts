import { existsSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';

import { StatementFileRefused } from '@contribution-service/bank-files';

import { type ReadContext, type ReadFile, type ReadLine, readLines } from './read-lines';
import { threadCpuMs } from './thread-cpu';

/** A file that is being read. */
export interface OpenFile {
  file: ReadFile;
  /** The lines, at most 1,000 at a time. The thread prepares a batch when it is requested. */
  batches: AsyncIterable<ReadLine[]>;
  /** Stops reading, even before the last batch. */
  close: () => Promise<void>;
}

/** The input of the thread. */
export interface ThreadFile {
  bytes: Uint8Array<ArrayBuffer>;
  context: ReadContext;
}

/**
 * The messages of the thread: its folder in /proc, the file, then one batch for each request. The
 * last batch is empty.
 */
export type ThreadReply =
  | { folder: string | undefined }
  | { file: ReadFile }
  | { batch: ReadLine[] }
  | { refused: string }
  | { failed: string };

export interface ThreadLimits {
  /** The CPU time of the thread over its whole life. */
  cpuMs: number;
  heapMb: number;
}

const usualLimits: ThreadLimits = { cpuMs: 60_000, heapMb: 128 };
/** Small, because memory matters more here than the time for garbage collection. */
const youngHeapMb = 2;
/** A thread can exceed its limit of CPU time by this time. */
const checkMs = 200;
const compiled = path.join(__dirname, 'read.worker.js');

const tooLarge = (): StatementFileRefused =>
  new StatementFileRefused('Reading the file takes too much memory or time. Split it.');

/** The replies of a thread, in their order. They fail when the thread ends. */
class Replies {
  #waiting: { resolve: (reply: ThreadReply) => void; reject: (error: Error) => void } | undefined;
  readonly #received: ThreadReply[] = [];
  #ended: Error | undefined;

  add(reply: ThreadReply): void {
    if ('refused' in reply) this.fail(new StatementFileRefused(reply.refused));
    else if ('failed' in reply) this.fail(new Error(`the statement cannot be read: ${reply.failed}`));
    else if (this.#waiting) this.#waiting.resolve(reply);
    else this.#received.push(reply);
    this.#waiting = undefined;
  }

  /** Only the first failure counts. */
  fail(error: Error): void {
    this.#ended ??= error;
    this.#waiting?.reject(this.#ended);
    this.#waiting = undefined;
  }

  async next(): Promise<ThreadReply> {
    if (this.#ended) throw this.#ended;
    return (
      this.#received.shift() ??
      (await new Promise((resolve, reject) => (this.#waiting = { resolve, reject })))
    );
  }
}

/**
 * Returns memory that contains only these bytes, so that a thread can take it over. Copies if
 * needed.
 */
function transferable(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes);
}

function startThread(
  { bytes, context }: { bytes: Uint8Array; context: ReadContext },
  { heapMb }: ThreadLimits,
  program: string,
): Worker {
  const workerData: ThreadFile = { bytes: transferable(bytes), context };
  return new Worker(program, {
    workerData,
    transferList: [workerData.bytes.buffer],
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: youngHeapMb },
    // A thread that runs out of memory writes a report, which would reach the log.
    stdout: true,
    stderr: true,
  });
}

/**
 * Ends the replies of a thread that fails, takes too much CPU time, or is not needed any more.
 *
 * @returns a function that ends the thread
 */
function watch(
  worker: Worker,
  replies: Replies,
  { cpuMs }: ThreadLimits,
  signal: AbortSignal | undefined,
): () => Promise<void> {
  let folder: string | undefined;
  const end = async (): Promise<void> => {
    clearInterval(timer);
    signal?.removeEventListener('abort', leave);
    await worker.terminate();
  };
  const fail = (error: Error): void => {
    replies.fail(error);
    void end();
  };
  const leave = (): void => {
    fail(signal?.reason as Error);
  };
  const timer = setInterval(() => {
    if (threadCpuMs(worker, folder) > cpuMs) fail(tooLarge());
  }, checkMs);
  worker.on('message', (reply: ThreadReply) => {
    if ('folder' in reply) ({ folder } = reply);
    else replies.add(reply);
  });
  worker.on('error', (error: NodeJS.ErrnoException) => {
    // Its message may quote the file.
    const failed = new Error(`the thread that reads a statement failed: ${error.name}`);
    fail(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooLarge() : failed);
  });
  worker.on('exit', () => {
    fail(new Error('the thread that reads a statement has stopped'));
  });
  signal?.addEventListener('abort', leave);
  return end;
}

export interface ThreadOptions {
  /** Stops the thread. */
  signal?: AbortSignal | undefined;
  limits?: ThreadLimits;
  /** The compiled program of the thread. */
  program?: string;
}

/**
 * Reads a file in a separate thread with limits, so that a hostile file neither blocks the service
 * nor exhausts its memory. The caller must close it. It may take over the memory of `bytes`.
 *
 * @throws StatementFileRefused if the file as a whole cannot be read, now or at a later batch
 * @throws the signal's reason, if it stops the thread
 */
export async function readInThread(
  bytes: Uint8Array,
  context: ReadContext,
  { signal, limits = usualLimits, program = compiled }: ThreadOptions = {},
): Promise<OpenFile> {
  signal?.throwIfAborted();
  const worker = startThread({ bytes, context }, limits, program);
  const replies = new Replies();
  const close = watch(worker, replies, limits, signal);
  async function* batches(): AsyncGenerator<ReadLine[], void> {
    for (;;) {
      worker.postMessage('next');
      const reply = await replies.next();
      if (!('batch' in reply) || reply.batch.length === 0) return;
      yield reply.batch;
    }
  }
  try {
    const reply = await replies.next();
    if (!('file' in reply)) throw new Error('the thread that reads a statement sent a batch first');
    return { file: reply.file, batches: batches(), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Reads a file in this thread, without limits. */
async function readHere(bytes: Uint8Array, context: ReadContext): Promise<OpenFile> {
  const { file, batches } = await Promise.resolve().then(() => readLines(bytes, context));
  async function* later(): AsyncGenerator<ReadLine[], void> {
    for (;;) {
      const { value } = await Promise.resolve(batches.next());
      if (value === undefined) return;
      yield value;
    }
  }
  return { file, batches: later(), close: () => Promise.resolve() };
}

export type OpenStatementFile = typeof readInThread;

/** Only the compiled program has a file for the thread. Tests run from sources, without it. */
export const openStatementFile: OpenStatementFile = existsSync(compiled) ? readInThread : readHere;
