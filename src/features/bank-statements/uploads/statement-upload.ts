import type { CsvMapping } from '@contribution-service/bank-files';

/** What the uploader says about a file. It is stored with the file, encrypted. */
export interface UploadOptions {
  /** The uploader's name for the account of a file that states none. */
  account?: string | undefined;
  direction?: 'credit' | 'debit' | undefined;
  /** The columns of a CSV file. */
  mapping?: CsvMapping | undefined;
}

/**
 * `receiving`: incomplete. `received`: durable, waits. `reading`: a process has claimed it. The
 * others are final: `read`; `rejected`: the file cannot be read; `failed`: the service could not
 * read it, so a repeat of the upload may succeed.
 */
export type UploadState = 'receiving' | 'received' | 'reading' | 'read' | 'rejected' | 'failed';

export interface UploadKey {
  environmentId: number;
  uploadId: string;
}

export interface NewUpload extends UploadKey {
  /** HMAC of the options, under the pepper of that version. */
  optionsHmac: Buffer;
  pepperVersion: number;
}

export interface ReceivedBytes {
  sha256: Buffer;
  byteCount: number;
  /** Includes the chunk of the options. */
  chunkCount: number;
}

export interface StoredUpload {
  uploadId: string;
  state: UploadState;
  optionsHmac: Buffer;
  byteCount: number;
  receivedAt: Date;
  attempts: number;
  /** The lines that were read so far. */
  readLines: number;
  /** Why it was rejected or has failed, for its uploader. */
  reason: string | null;
  endedAt: Date | null;
}

/** An upload that no process is reading. */
export interface DueUpload extends UploadKey {
  companyId: string;
}

/** An upload that this process may read. Another process may claim it once the claim expires. */
export interface Claim extends UploadKey, Omit<ReceivedBytes, 'byteCount'> {
  claimId: string;
  /** The number of this attempt, from 1. */
  attempts: number;
  pepperVersion: number;
}

export type UploadOutcome =
  { state: 'read'; reason: null } | { state: 'rejected' | 'failed'; reason: string };

export interface ExpiredUpload extends UploadKey {
  isIncomplete: boolean;
  /** Whether its environment was retired by a reset. */
  isOfReset: boolean;
}
