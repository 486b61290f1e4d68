import { existsSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';

import { StatementFileRefused } from './files/statement-file';
import { type ParseContext, type ParsedFile, parseStatementFile } from './parsed-file';

/** @throws StatementFileRefused if the file as a whole cannot be read */
export type ParseFile = (bytes: Buffer, context: ParseContext) => Promise<ParsedFile>;

/** What the thread sends back. */
export type ParseReply = { file: ParsedFile } | { refused: string } | { failed: string };

const longestMs = 60_000;
const heapLimitMb = 128;
const compiled = path.join(__dirname, 'parse.worker.js');

const tooLarge = (): StatementFileRefused =>
  new StatementFileRefused('Reading the file takes too much memory or time. Split it.');

/**
 * Reads a file in a thread of its own with limits, so that a hostile file neither blocks the
 * service nor uses up its memory.
 */
function parseInWorker(bytes: Buffer, context: ParseContext): Promise<ParsedFile> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(compiled, {
      workerData: { bytes, context },
      resourceLimits: { maxOldGenerationSizeMb: heapLimitMb },
      stderr: true,
    });
    const timer = setTimeout(() => {
      reject(tooLarge());
      void worker.terminate();
    }, longestMs);
    worker.on('message', (reply: ParseReply) => {
      if ('file' in reply) resolve(reply.file);
      else if ('refused' in reply) reject(new StatementFileRefused(reply.refused));
      else reject(new Error(reply.failed));
    });
    worker.on('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooLarge() : error);
    });
    worker.on('exit', () => {
      clearTimeout(timer);
      reject(new Error('the thread that reads a statement has stopped'));
    });
  });
}

/** Only the compiled program has the file of the thread. Sources run under a test. */
export const parseFile: ParseFile = existsSync(compiled)
  ? parseInWorker
  : (bytes, context) => Promise.resolve().then(() => parseStatementFile(bytes, context));
