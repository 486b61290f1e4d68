import type { CsvMapping, FileProblem, StatementFile } from '@contribution-service/bank-files';

/** What the uploader says about a file. It is stored with the file, encrypted. */
export interface UploadOptions {
  /** The uploader's name for the account of a file that states none. */
  account?: string | undefined;
  direction?: 'credit' | 'debit' | undefined;
  /** The columns of a CSV file. */
  mapping?: CsvMapping | undefined;
}

/** Amounts of a mapping are integers below 2^53. */
const asNumber = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);
const asAmount = (name: string, value: unknown): unknown =>
  name.endsWith('_cents') && typeof value === 'number' ? BigInt(value) : value;

export const textOfOptions = ({ account, direction, mapping }: UploadOptions): string =>
  JSON.stringify({ account, direction, mapping }, asNumber);

/** The reverse of `textOfOptions`. */
export const optionsOf = (text: string): UploadOptions => JSON.parse(text, asAmount) as UploadOptions;

/**
 * `receiving`: incomplete. `received`: durable, waits. `reading`: a process has claimed it. The
 * others are final: `read`; `rejected`: the file cannot be read; `failed`: the service could not
 * read it, so a repeat of the upload may succeed; `voided`: a person took it back.
 */
export type UploadState = 'receiving' | 'received' | 'reading' | 'read' | 'rejected' | 'failed' | 'voided';

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
  /** The lines that were read so far, in the end those of the file. */
  readLines: number;
  /** Why it was rejected or has failed, for its uploader. */
  reason: string | null;
  endedAt: Date | null;
  /** Null, as the next two, until the file was read. `version` also if the file states none. */
  format: StatementFile['format'] | null;
  version: string | null;
  statementCount: number | null;
  /** At most `fileLimits.problems`. */
  problems: FileProblem[];
  voidedAt: Date | null;
  voidReason: string | null;
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
  receivedAt: Date;
}

/** The end of an upload that is not published. */
export interface UploadOutcome {
  state: 'rejected' | 'failed';
  reason: string;
}

export interface ExpiredUpload extends UploadKey {
  isIncomplete: boolean;
  /** Whether its environment was retired by a reset. */
  isOfReset: boolean;
}
