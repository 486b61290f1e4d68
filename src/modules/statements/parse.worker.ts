import { parentPort, workerData } from 'node:worker_threads';

import { StatementFileRefused } from './files/statement-file';
import type { ParseReply } from './parse-in-worker';
import { type ParseContext, parseStatementFile } from './parsed-file';

/** The thread that reads one file. */
const { bytes, context } = workerData as { bytes: Uint8Array; context: ParseContext };

function parse(): ParseReply {
  try {
    return { file: parseStatementFile(bytes, context) };
  } catch (error) {
    if (error instanceof StatementFileRefused) return { refused: error.message };
    // The message of another error may quote the file.
    return { failed: `the statement cannot be read: ${error instanceof Error ? error.name : 'unknown'}` };
  }
}

parentPort?.postMessage(parse());
