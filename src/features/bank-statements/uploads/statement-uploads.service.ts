import { createHmac } from 'node:crypto';

import { v7 as uuidv7 } from 'uuid';

import { currentPepperVersion, type Peppers } from '../../../core/key-pairs/credentials';
import { ServiceError } from '../../../shared/errors';
import type { Pieces } from '../reading/pieces';
import type { StatementLinesStore } from '../statements/statement-lines.store';
import { type StoredUpload, textOfOptions, type UploadKey, type UploadOptions } from './statement-upload';
import type { StatementUploadsStore } from './statement-uploads.store';
import { storeBytes } from './stored-bytes';
import type { AccountOfFile, UploadRecordsStore } from './upload-records.store';
import { mostLinesPerHour, mostUploadsPerHour } from './upload-limits.field';

/**
 * The outcome of an upload. `stored`: its bytes are durable. `known`: so are those of an earlier
 * upload of the same file with the same options. `options_differ`: nothing was stored, because the
 * earlier upload had other options.
 */
export interface Received {
  outcome: 'stored' | 'known' | 'options_differ';
  upload: StoredUpload;
}

export interface StatementUploads {
  /**
   * Stores a file, so that it can be read later. When the promise resolves, a crash loses nothing.
   *
   * @param bytes at most the largest body of the API. Gzip and ZIP files stay as they are.
   * @throws ServiceError rate_limited, if the environment has uploaded too many files in an hour
   * @throws Error of `bytes`, after which nothing is stored
   */
  receive(environmentId: number, bytes: Pieces, options: UploadOptions): Promise<Received>;
  /** The progress of an upload, and what its file contained. */
  find(upload: UploadKey): Promise<StoredUpload | undefined>;
  /** The accounts that its file is about. Empty until it was read. */
  accountsOf(upload: UploadKey): Promise<AccountOfFile[]>;
  /** Newest first. @param before the last id of the previous page */
  list(environmentId: number, before: string | undefined, limit: number): Promise<StoredUpload[]>;
  /**
   * Takes the statements of an upload away, also if it is being read. Idempotent: the first reason
   * stays. Has no effect on an upload that was rejected or has failed. Its file can be sent again.
   *
   * @returns undefined if there is no such upload. `month_closed` if one of its statements states a
   *   day of a closed month: nothing has changed
   */
  void(upload: UploadKey, reason: string): Promise<StoredUpload | 'month_closed' | undefined>;
}

interface Dependencies {
  store: StatementUploadsStore;
  records: UploadRecordsStore;
  statements: Pick<StatementLinesStore, 'void'>;
  peppers: Peppers;
  /** Called after each stored upload, and after each void. */
  wake: () => void;
}

/** The HMACs of the options under each pepper, by version. */
function optionsHmacs(peppers: Peppers, options: UploadOptions): Map<number, Buffer> {
  const text = `options ${textOfOptions(options)}`;
  return new Map(
    [...peppers].map(([version, pepper]) => [version, createHmac('sha256', pepper).update(text).digest()]),
  );
}

export function createStatementUploads({
  store,
  records,
  statements,
  peppers,
  wake,
}: Dependencies): StatementUploads {
  const pepperVersion = currentPepperVersion(peppers);

  async function earlier(environmentId: number, sha256: Buffer, options: UploadOptions) {
    const upload = await records.findByContent(environmentId, sha256);
    if (!upload) return undefined;
    const isSame = [...optionsHmacs(peppers, options).values()].some((hmac) =>
      hmac.equals(upload.optionsHmac),
    );
    return { outcome: isSame ? ('known' as const) : ('options_differ' as const), upload };
  }

  async function tryToReceive(
    environmentId: number,
    bytes: Pieces,
    options: UploadOptions,
  ): Promise<Received | undefined> {
    const optionsHmac = optionsHmacs(peppers, options).get(pepperVersion) ?? Buffer.alloc(0);
    const upload = { environmentId, uploadId: uuidv7(), optionsHmac, pepperVersion };
    if (!(await store.create(upload))) {
      const seconds = await store.secondsUntilFree(environmentId);
      throw new ServiceError('rate_limited', {
        detail: `The limit is ${mostUploadsPerHour} files and ${mostLinesPerHour} lines per hour. No changes were made. Wait Retry-After seconds, then retry.`,
        headers: { 'Retry-After': String(seconds) },
      });
    }
    try {
      const received = await storeBytes({ store, peppers }, upload, bytes, options);
      const outcome = received && (await store.complete(upload, received));
      if (outcome === 'complete') {
        wake();
        const stored = await records.find(upload);
        return stored && { outcome: 'stored', upload: stored };
      }
      return received && outcome === 'known'
        ? await earlier(environmentId, received.sha256, options)
        : undefined;
    } finally {
      // Has no effect on a complete upload. If it fails, the trim of old uploads does it.
      await store.drop(upload).catch(() => undefined);
    }
  }

  return {
    async receive(environmentId, bytes, options) {
      const received = await tryToReceive(environmentId, bytes, options);
      if (received) return received;
      // The upload took an hour, or the earlier upload of the same file has just ended.
      throw new ServiceError('overloaded', {
        detail: 'The file could not be stored. No changes were made. Retry.',
        headers: { 'Retry-After': '1' },
      });
    },
    find: (upload) => records.find(upload),
    accountsOf: (upload) => records.accountsOf(upload),
    list: (environmentId, before, limit) => records.list(environmentId, before, limit),
    async void(upload, reason) {
      const voided = await statements.void(upload.environmentId, upload.uploadId, reason);
      if (voided === 'month_closed') return voided;
      wake();
      return records.find(upload);
    },
  };
}
