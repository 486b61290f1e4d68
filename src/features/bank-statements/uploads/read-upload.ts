import { StatementFileRefused } from '@contribution-service/bank-files';

import type { Peppers } from '../../../core/key-pairs/credentials';
import type { Logger } from '../../../shared/logger';
import type { OpenFile } from '../reading/read-in-thread';
import type { FilePart } from '../reading/read-file';
import type { StatementReading } from '../reading/statement-reading';
import { isOfDatabase, withoutMessage } from '../failures';
import type { Claim, UploadOptions } from './statement-upload';
import { claimSeconds, type StatementUploadsStore } from './statement-uploads.store';
import { loadBytes } from './stored-bytes';
import { mostAttempts } from './upload-limits.field';

/** An upload, while its file is read. */
export interface UploadBeingRead extends Pick<OpenFile, 'file' | 'parts'> {
  claim: Claim;
  options: UploadOptions;
  /** Aborted if this process lost the upload or stops. */
  signal: AbortSignal;
}

/**
 * Stores the lines of an upload. Its last transaction publishes them and ends the upload. A process
 * may stop at any time, and another one starts again from the first line, so a repeat must have no
 * effect.
 *
 * @returns false if nothing was published, because the claim was lost
 * @throws StatementFileRefused if the file is rejected. Its message is for the uploader.
 */
export type PublishUpload = (upload: UploadBeingRead) => Promise<boolean>;

export interface ReadingWork {
  store: StatementUploadsStore;
  peppers: Peppers;
  reading: StatementReading;
  /** The tags of all environments whose contributions an environment may ever see. */
  tagsOf: (environmentId: number) => Promise<ReadonlySet<string>>;
  publish: PublishUpload;
}

/** The pauses after an attempt that failed, in seconds. */
const pauses = [60, 600];
const extendMs = (claimSeconds * 1_000) / 3;

const notReadable = 'The service could not read the file. Send it again.';

/** Another process reads the upload, or it was voided. */
class ClaimLost extends Error {
  override readonly name = 'ClaimLost';
}

const claimLost = (): Error => new ClaimLost('another process reads the upload, or it was voided');

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
        if (!isExtended) ending.abort(claimLost());
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
  { store, peppers, reading, tagsOf, publish }: ReadingWork,
  claim: Claim,
  signal: AbortSignal,
  countLines: (lines: number) => void,
): Promise<void> {
  const { environmentId, claimId: attemptId, receivedAt } = claim;
  const { options, pieces } = await loadBytes({ store, peppers }, claim);
  // With the time of the upload, every attempt finds the same.
  const context = { tags: await tagsOf(environmentId), now: receivedAt, attemptId, mapping: options.mapping };
  await reading.read(
    pieces,
    context,
    async ({ file, parts }) => {
      async function* counted(): AsyncGenerator<FilePart, void> {
        for await (const part of parts) {
          if ('lines' in part) countLines(part.lines.length);
          yield part;
        }
      }
      const isPublished = await publish({ claim, options, signal, file, parts: counted() });
      if (!isPublished) throw claimLost();
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
  } catch (error) {
    if (stopping.aborted) await store.postpone(claim, 0, claim.attempts - 1);
    else if (error instanceof StatementFileRefused)
      await store.end(claim, { state: 'rejected', reason: error.message });
    else if (!(error instanceof ClaimLost)) await fail(work, claim, logger, error);
  }
}
