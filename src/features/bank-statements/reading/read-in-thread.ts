import { existsSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';

import { StatementFileRefused } from '@contribution-service/bank-files';

import type { Pieces } from './pieces';
import { type FilePart, readFile, type ReadContext, type ReadFile } from './read-file';
import { limitCpu } from './thread-cpu';

/** A file that is being read. */
export interface OpenFile {
  file: ReadFile;
  /**
   * The statements in their order: the lines, at most `linesInPart` at a time, then the end of
   * each. The thread prepares a part when it is requested.
   */
  parts: AsyncIterable<FilePart>;
  /** Stops reading, even before the last part. */
  close: () => Promise<void>;
}

/** A piece of the file, none at its end. Later: the request for the next part. */
export interface ThreadRequest {
  piece?: Uint8Array<ArrayBuffer>;
}

/**
 * The messages of the thread: its folder in /proc, a request for each piece of the file, the file,
 * then one part for each request, and null after the last one.
 */
export type ThreadReply =
  | { folder: string }
  | { isHungry: true }
  | { file: ReadFile }
  | { part: FilePart | null }
  | { refused: string }
  | { failed: string };

export interface ThreadLimits {
  /** The CPU time of the thread over its whole life. */
  cpuMs: number;
  heapMb: number;
}

/** A camt file of 100,000 entries of 2.9 kB takes up to about 60 seconds. */
const usualLimits: ThreadLimits = { cpuMs: 120_000, heapMb: 128 };
/** Small, because memory matters more here than the time for garbage collection. */
const youngHeapMb = 2;
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

function startThread(context: ReadContext, { heapMb }: ThreadLimits, program: string): Worker {
  return new Worker(program, {
    workerData: context,
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: youngHeapMb },
    // A thread that runs out of memory writes a report, which would reach the log.
    stdout: true,
    stderr: true,
  });
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

/** Sends the pieces of a file to a thread, each when the thread asks for it. */
function createFeed(worker: Worker, pieces: Pieces) {
  async function* owned(): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    for await (const piece of pieces) yield transferable(piece);
  }
  const source = owned();
  return {
    async sendNext(): Promise<void> {
      const { value: piece } = await source.next();
      const request: ThreadRequest = piece ? { piece } : {};
      worker.postMessage(request, piece ? [piece.buffer] : []);
    },
    /** Ends the source, even if it has more pieces. */
    stop(): void {
      source.return().catch(() => undefined);
    },
  };
}

/**
 * Ends the replies of a thread that fails, takes too much CPU time, or is not needed any more.
 *
 * @returns a function that ends the thread
 */
function watch(
  worker: Worker,
  replies: Replies,
  pieces: Pieces,
  { cpuMs }: ThreadLimits,
  signal: AbortSignal | undefined,
): () => Promise<void> {
  const feed = createFeed(worker, pieces);
  let folder: string | undefined;
  const end = async (): Promise<void> => {
    clearInterval(timer);
    signal?.removeEventListener('abort', leave);
    feed.stop();
    await worker.terminate();
  };
  const fail = (error: Error): void => {
    replies.fail(error);
    void end();
  };
  const leave = (): void => {
    fail(signal?.reason as Error);
  };
  const timer = limitCpu(
    worker,
    cpuMs,
    () => folder,
    () => {
      fail(tooLarge());
    },
  );
  worker.on('message', (reply: ThreadReply) => {
    if ('folder' in reply) ({ folder } = reply);
    else if ('isHungry' in reply) feed.sendNext().catch(fail);
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
 * nor exhausts its memory. The caller must close it. It may take over the memory of `pieces`.
 *
 * @throws StatementFileRefused if the file as a whole cannot be read, now or at a later part
 * @throws the error of `pieces`, or the signal's reason, if it stops the thread
 */
export async function readInThread(
  pieces: Pieces,
  context: ReadContext,
  { signal, limits = usualLimits, program = compiled }: ThreadOptions = {},
): Promise<OpenFile> {
  signal?.throwIfAborted();
  const worker = startThread(context, limits, program);
  const replies = new Replies();
  const close = watch(worker, replies, pieces, limits, signal);
  async function* parts(): AsyncGenerator<FilePart, void> {
    for (;;) {
      worker.postMessage({} satisfies ThreadRequest);
      const reply = await replies.next();
      if (!('part' in reply) || reply.part === null) return;
      yield reply.part;
    }
  }
  try {
    const reply = await replies.next();
    if (!('file' in reply)) throw new Error('the thread that reads a statement sent a part first');
    return { file: reply.file, parts: parts(), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Reads a file in this thread, without limits. */
async function readHere(pieces: Pieces, context: ReadContext): Promise<OpenFile> {
  const { file, parts } = await readFile(pieces, context);
  async function* later(): AsyncGenerator<FilePart, void> {
    for (;;) {
      const { value } = await Promise.resolve(parts.next());
      if (value === undefined) return;
      yield value;
    }
  }
  return { file, parts: later(), close: () => Promise.resolve() };
}

export type OpenStatementFile = typeof readInThread;

/** Only the compiled program has a file for the thread. Tests run from sources, without it. */
export const openStatementFile: OpenStatementFile = existsSync(compiled) ? readInThread : readHere;
