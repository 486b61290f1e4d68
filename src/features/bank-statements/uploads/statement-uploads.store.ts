import type { Database } from '../../../db/pool/database';
import { violates } from '../../../db/errors';
import { allEnvironments, type IsRead, membersOf, query } from '../../../db/query';
import type {
  Claim,
  DueUpload,
  ExpiredUpload,
  NewUpload,
  ReceivedBytes,
  UploadKey,
  UploadOutcome,
} from './statement-upload';
import { keptHours, mostLinesPerHour, mostUploadsPerHour } from './upload-limits.field';

/** If a process stops, another one reads its upload after this time. */
export const claimSeconds = 30;
/** Nobody got a response for an upload that is incomplete for so long. */
const interruptedHours = 1;

const isFree = '(u.claimed_until IS NULL OR u.claimed_until < statement_timestamp())';
const isOpen = `u.state IN ('received', 'reading')`;
const isExpired = `u.received_at < statement_timestamp() - interval '${keptHours} hours'`;
const isInterrupted = `u.state = 'receiving' AND u.received_at < statement_timestamp() - interval '${interruptedHours} hours'`;

// Returns no row if the limit is reached.
// $1 environment_id, $2 upload_id, $3 options_hmac, $4 pepper_version
const createUpload = query(
  'create_statement_upload',
  `
  INSERT INTO statement_uploads (environment_id, upload_id, options_hmac, pepper_version)
  SELECT $1::integer, $2::uuid, $3::bytea, $4::integer
   WHERE (SELECT count(*) < ${mostUploadsPerHour} AND COALESCE(sum(u.read_lines), 0) < ${mostLinesPerHour}
            FROM statement_uploads u
           WHERE u.environment_id = $1 AND u.received_at > statement_timestamp() - interval '1 hour')
  RETURNING upload_id
  `,
);

// $1 environment_id, $2 upload_id, $3 number, $4 sealed
const addChunk = query(
  'add_statement_upload_chunk',
  `
  INSERT INTO statement_upload_chunks (environment_id, upload_id, number, sealed)
  SELECT u.environment_id, u.upload_id, $3::integer, $4::bytea
    FROM statement_uploads u
   WHERE u.environment_id = $1 AND u.upload_id = $2 AND u.state = 'receiving'
  RETURNING number
  `,
);

// Fails if another upload of the same bytes is complete.
// $1 environment_id, $2 upload_id, $3 sha256, $4 byte_count, $5 chunk_count
const completeUpload = query(
  'complete_statement_upload',
  `
  UPDATE statement_uploads u
     SET state = 'received', sha256 = $3, byte_count = $4, chunk_count = $5, next_attempt_at = statement_timestamp()
   WHERE u.environment_id = $1 AND u.upload_id = $2 AND u.state = 'receiving'
  RETURNING u.upload_id
  `,
);

// Deletes the chunks too. $1 environment_id, $2 upload_id
const dropUpload = query(
  'drop_statement_upload',
  `DELETE FROM statement_uploads u WHERE u.environment_id = $1 AND u.upload_id = $2 AND u.state = 'receiving'`,
);

// The seconds until the limit of files allows another upload, or that of lines may do.
// $1 environment_id
const readWait = query(
  'read_wait_for_statement_upload',
  `
  SELECT GREATEST(1, ceil(EXTRACT(EPOCH FROM min(n.received_at) + interval '1 hour' - statement_timestamp())))::integer AS seconds
    FROM (
      SELECT u.received_at FROM statement_uploads u
       WHERE u.environment_id = $1 AND u.received_at > statement_timestamp() - interval '1 hour'
       ORDER BY u.received_at DESC LIMIT ${mostUploadsPerHour}
    ) AS n
  `,
);

// Finds the next upload of each turn: first of companies that had no turn, then of the company
// whose last turn is the longest ago. A process claims only what its peppers can open.
// $1 versions of the peppers, $2 companies to leave out, $3 companies in the order of their turns
const dueUploadText = (isRead: IsRead): string => `
  SELECT ${membersOf('u', 'environmentId', 'uploadId')}, ${membersOf('e', 'companyId')}
    FROM statement_uploads u
    JOIN environments e ON e.environment_id = u.environment_id
   WHERE ${isOpen} AND u.next_attempt_at <= statement_timestamp() AND ${isFree} ${isRead('u')}
     AND u.pepper_version = ANY ($1::integer[]) AND e.retired_at IS NULL AND e.company_id <> ALL ($2::uuid[])
   ORDER BY array_position($3::uuid[], e.company_id) NULLS FIRST, u.next_attempt_at, u.upload_id LIMIT 1
  `;

const dueUpload = query('find_due_statement_upload', dueUploadText(allEnvironments), {
  textOf: dueUploadText,
});

// $1 environment_id, $2 upload_id, $3 claim_id
const claimUpload = query(
  'claim_statement_upload',
  `
  UPDATE statement_uploads u
     SET state = 'reading', claim_id = $3, claimed_until = statement_timestamp() + interval '${claimSeconds} seconds',
         attempts = u.attempts + 1, read_lines = 0
   WHERE u.environment_id = $1 AND u.upload_id = $2 AND ${isOpen} AND ${isFree}
     AND u.next_attempt_at <= statement_timestamp()
  RETURNING ${membersOf('u', 'claimId', 'attempts', 'pepperVersion', 'sha256', 'chunkCount', 'receivedAt')}
  `,
);

// $1 environment_id, $2 upload_id, $3 claim_id, $4 the lines that were read
const extendClaim = query(
  'extend_claim_of_statement_upload',
  `
  UPDATE statement_uploads u
     SET claimed_until = statement_timestamp() + interval '${claimSeconds} seconds', read_lines = $4
   WHERE u.environment_id = $1 AND u.upload_id = $2 AND u.claim_id = $3 AND u.state = 'reading'
  RETURNING u.upload_id
  `,
);

// $1 environment_id, $2 upload_id, $3 number
const readChunk = query(
  'read_statement_upload_chunk',
  `SELECT c.sealed FROM statement_upload_chunks c WHERE c.environment_id = $1 AND c.upload_id = $2 AND c.number = $3`,
);

// $1 environment_id, $2 upload_id, $3 claim_id, $4 seconds, $5 attempts that count
const postponeUpload = query(
  'postpone_statement_upload',
  `
  UPDATE statement_uploads u
     SET state = 'received', claim_id = NULL, claimed_until = NULL, attempts = $5,
         next_attempt_at = statement_timestamp() + $4::integer * interval '1 second'
   WHERE u.environment_id = $1 AND u.upload_id = $2 AND u.claim_id = $3 AND u.state = 'reading'
  `,
);

/** Ends an upload and deletes its chunks, in one query. */
const ending = (name: string, condition: string) =>
  query(
    name,
    `
  WITH ended AS (
    UPDATE statement_uploads u
       SET state = $4, reason = $5, ended_at = statement_timestamp(), claim_id = NULL, claimed_until = NULL
     WHERE u.environment_id = $1 AND u.upload_id = $2 AND ${condition}
    RETURNING u.upload_id
  )
  DELETE FROM statement_upload_chunks c
   WHERE c.environment_id = $1 AND c.upload_id IN (SELECT ended.upload_id FROM ended)
  RETURNING c.number
  `,
  );

// $1 environment_id, $2 upload_id, $3 claim_id, $4 state, $5 reason
const endUpload = ending('end_statement_upload', `u.claim_id = $3 AND u.state = 'reading'`);

// $3 is not used. $1 environment_id, $2 upload_id, $4 state, $5 reason
const expireUpload = ending('expire_statement_upload', `$3::uuid IS NULL AND ${isOpen} AND ${isFree}`);

// $1 the maximum number of rows
const expiredUploadsText = (isRead: IsRead): string => `
  SELECT ${membersOf('u', 'environmentId', 'uploadId')}, u.state = 'receiving' AS "isIncomplete",
         e.retired_at IS NOT NULL AS "isOfReset"
    FROM statement_uploads u
    JOIN environments e ON e.environment_id = u.environment_id
   WHERE ((${isInterrupted}) OR (${isOpen} AND ${isFree} AND (${isExpired} OR e.retired_at IS NOT NULL))) ${isRead('u')}
   LIMIT $1::integer
  `;

const expiredUploads = query('list_expired_statement_uploads', expiredUploadsText(allEnvironments), {
  textOf: expiredUploadsText,
});

/** The constraint that lets one upload of the same bytes be complete. */
const oneOfContent = 'statement_uploads_content_key';

export type StatementUploadsStore = ReturnType<typeof createStatementUploadsStore>;

export function createStatementUploadsStore(database: Pick<Database, 'run'>) {
  const keyOf = ({ environmentId, uploadId }: UploadKey) => [environmentId, uploadId];
  async function changes(...given: Parameters<typeof database.run>): Promise<boolean> {
    return (await database.run(...given)).length > 0;
  }
  return {
    /** @returns false if the limit of uploads per hour is reached */
    create: ({ optionsHmac, pepperVersion, ...upload }: NewUpload) =>
      changes(createUpload, [...keyOf(upload), optionsHmac, pepperVersion]),
    /** @returns false if the upload was dropped meanwhile */
    addChunk: (upload: UploadKey, number: number, sealed: Buffer) =>
      changes(addChunk, [...keyOf(upload), number, sealed]),
    /**
     * From now on, the upload is durable and will be read.
     *
     * @returns `known` if another upload of the same bytes is complete; `dropped` if this one took
     *   too long
     */
    async complete(upload: UploadKey, { sha256, byteCount, chunkCount }: ReceivedBytes) {
      const values = [...keyOf(upload), sha256, byteCount, chunkCount];
      try {
        return (await changes(completeUpload, values)) ? 'complete' : 'dropped';
      } catch (error) {
        if (violates(error, oneOfContent)) return 'known';
        throw error;
      }
    },
    /** Deletes an incomplete upload. */
    async drop(upload: UploadKey) {
      await database.run(dropUpload, keyOf(upload));
    },
    /** Seconds until the limit allows another upload. */
    async secondsUntilFree(environmentId: number) {
      const [row] = await database.run<{ seconds: number }>(readWait, [environmentId]);
      return row?.seconds ?? 1;
    },
    /**
     * @param busy companies to leave out
     * @param turns the companies in the order of their last turns in this process, oldest first
     */
    async nextDue(pepperVersions: readonly number[], busy: readonly string[], turns: readonly string[]) {
      return (await database.run<DueUpload>(dueUpload, [pepperVersions, busy, turns]))[0];
    },
    /** @returns undefined if another process has the upload, or if it has ended */
    async claim(upload: UploadKey, claimId: string): Promise<Claim | undefined> {
      const [row] = await database.run<Omit<Claim, keyof UploadKey>>(claimUpload, [
        ...keyOf(upload),
        claimId,
      ]);
      return row && { environmentId: upload.environmentId, uploadId: upload.uploadId, ...row };
    },
    /** @returns false if the claim was lost */
    extend: (claim: Claim, readLines: number) =>
      changes(extendClaim, [...keyOf(claim), claim.claimId, readLines]),
    async chunk(upload: UploadKey, number: number): Promise<Buffer | undefined> {
      return (await database.run<{ sealed: Buffer }>(readChunk, [...keyOf(upload), number]))[0]?.sealed;
    },
    /** Ends the claim, so that the upload is read later. */
    async postpone(claim: Claim, seconds: number, attempts: number) {
      await database.run(postponeUpload, [...keyOf(claim), claim.claimId, seconds, attempts]);
    },
    /**
     * Ends an upload that is not published, and deletes its bytes.
     *
     * @returns false if the claim was lost
     */
    end: (claim: Claim, { state, reason }: UploadOutcome) =>
      changes(endUpload, [...keyOf(claim), claim.claimId, state, reason]),
    /** Uploads that nobody reads: incomplete, older than a day, or of a retired environment. */
    expired: (most: number) => database.run<ExpiredUpload>(expiredUploads, [most]),
    /** Ends an upload that no process is reading, and deletes its bytes. */
    async expire(upload: UploadKey, { state, reason }: UploadOutcome) {
      await database.run(expireUpload, [...keyOf(upload), null, state, reason]);
    },
  };
}
