import { StatementFileRefused } from '@contribution-service/bank-files';

import type { Peppers } from '../../../core/key-pairs/credentials';
import type { Logger } from '../../../shared/logger';
import type { OpenFile } from '../reading/read-in-thread';
import type { ReadLine } from '../reading/read-lines';
import type { SearchContext } from '../reading/search-ids';
import type { StatementReading } from '../reading/statement-reading';
import { isOfDatabase, withoutMessage } from '../failures';
import type { Claim, UploadKey, UploadOptions } from './statement-upload';
import { claimSeconds, type StatementUploadsStore } from './statement-uploads.store';
import { loadBytes } from './stored-bytes';
import { mostAttempts } from './upload-limits.field';

/** An upload, while its file is read. */
export interface UploadBeingRead extends UploadKey, Pick<OpenFile, 'file' | 'batches'> {
  options: UploadOptions;
  /** Aborted if this process lost the upload or stops. Nothing may be published then. */
  signal: AbortSignal;
}

/**
 * Stores the lines of an upload, and publishes them with its last transaction. A process may stop
 * at any time, and another one starts again from the first line, so a repeat must have no effect.
 *
 * @throws StatementFileRefused if the file is rejected. Its message is for the uploader.
 */
export type PublishUpload = (upload: UploadBeingRead) => Promise<void>;

export interface ReadingWork {
  store: StatementUploadsStore;
  peppers: Peppers;
  reading: StatementReading;
  /** The ids to search for in the files of an environment. */
  contextOf: (environmentId: number) => Promise<SearchContext>;
  publish: PublishUpload;
}

/** The pauses after an attempt that failed, in seconds. */
const pauses = [60, 600];
const extendMs = (claimSeconds * 1_000) / 3;

const notReadable = 'The service could not read the file. Send it again.';

/** The claim was lost: another process reads the upload, or it has expired. */
class ClaimLost extends Error {
  override readonly name = 'ClaimLost';
}

/**
 * Extends the claim until `work` ends.
 *
 * @param work gets a signal, which is aborted when the claim is lost or the process stops
 */
async function whileClaimed(
  { store }: Pick<ReadingWork, 'store'>,
  claim: Claim,
  stopping: AbortSignal,
  work: (signal: AbortSignal, countLines: (lines: number) => void) => Promise<void>,
): Promise<void> {
  const ending = new AbortController();
  const stop = (): void => {
    ending.abort(stopping.reason);
  };
  stopping.addEventListener('abort', stop);
  if (stopping.aborted) stop();
  let readLines = 0;
  const timer = setInterval(() => {
    store.extend(claim, readLines).then(
      (isExtended) => {
        if (!isExtended) ending.abort(new ClaimLost('another process reads the upload'));
      },
      // The next attempt may succeed. If none does, another process claims the upload.
      () => undefined,
    );
  }, extendMs);
  try {
    await work(ending.signal, (lines) => (readLines += lines));
  } finally {
    clearInterval(timer);
    stopping.removeEventListener('abort', stop);
  }
}

/** Ends the claim after a failure. */
async function fail(
  { store }: Pick<ReadingWork, 'store'>,
  claim: Claim,
  logger: Logger,
  error: unknown,
): Promise<void> {
  const { attempts } = claim;
  const fields = { upload_id: claim.uploadId, attempts, error: withoutMessage(error) };
  logger.warn(fields, 'uploaded statement not read');
  if (isOfDatabase(error)) await store.postpone(claim, pauses[0] ?? 0, attempts - 1);
  else if (attempts < mostAttempts) await store.postpone(claim, pauses[attempts - 1] ?? 0, attempts);
  else await store.end(claim, { state: 'failed', reason: notReadable });
}

async function publishUpload(
  { store, peppers, reading, contextOf, publish }: ReadingWork,
  claim: Claim,
  signal: AbortSignal,
  countLines: (lines: number) => void,
): Promise<void> {
  const { environmentId, uploadId } = claim;
  const { options, bytes } = await loadBytes({ store, peppers }, claim);
  const context = { ...(await contextOf(environmentId)), mapping: options.mapping };
  await reading.read(
    bytes,
    context,
    ({ file, batches }) => {
      async function* counted(): AsyncGenerator<ReadLine[], void> {
        for await (const batch of batches) {
          countLines(batch.length);
          yield batch;
        }
      }
      return publish({ environmentId, uploadId, options, signal, file, batches: counted() });
    },
    signal,
  );
}

/** Reads a claimed upload and publishes it, or ends the claim in another way. Logs failures. */
export async function readUpload(
  work: ReadingWork,
  claim: Claim,
  logger: Logger,
  stopping: AbortSignal,
): Promise<void> {
  const { store } = work;
  // The processes of earlier attempts were killed, perhaps because of the file.
  if (claim.attempts > mostAttempts) {
    await store.end(claim, { state: 'failed', reason: notReadable });
    return;
  }
  try {
    await whileClaimed(work, claim, stopping, (signal, countLines) =>
      publishUpload(work, claim, signal, countLines),
    );
    await store.end(claim, { state: 'read', reason: null });
  } catch (error) {
    if (stopping.aborted) await store.postpone(claim, 0, claim.attempts - 1);
    else if (error instanceof StatementFileRefused)
      await store.end(claim, { state: 'rejected', reason: error.message });
    else if (!(error instanceof ClaimLost)) await fail(work, claim, logger, error);
  }
}
