import type { Database } from '../../../db/pool/database';
import { membersOf, query } from '../../../db/query';
import type { StoredUpload, UploadKey } from './statement-upload';

const columns = `
  ${membersOf('u', 'uploadId', 'state', 'optionsHmac', 'byteCount', 'receivedAt', 'attempts', 'readLines', 'reason', 'endedAt')},
  ${membersOf('u', 'format', 'version', 'statementCount', 'problems', 'voidedAt', 'voidReason')}`;

// $1 environment_id, $2 sha256
const findByContent = query(
  'find_statement_upload_by_content',
  `
  SELECT ${columns} FROM statement_uploads u
   WHERE u.environment_id = $1 AND u.sha256 = $2 AND u.state IN ('received', 'reading', 'read')
  `,
);

// $1 environment_id, $2 upload_id
const findUpload = query(
  'find_statement_upload',
  `SELECT ${columns} FROM statement_uploads u WHERE u.environment_id = $1 AND u.upload_id = $2`,
);

// Ids are ordered by time. $1 environment_id, $2 before this upload_id or null, $3 maximum number
// of rows
const listUploads = query(
  'list_statement_uploads',
  `
  SELECT ${columns} FROM statement_uploads u
   WHERE u.environment_id = $1 AND u.state <> 'receiving' AND ($2::uuid IS NULL OR u.upload_id < $2::uuid)
   ORDER BY u.upload_id DESC LIMIT $3::integer
  `,
);

export type UploadRecordsStore = ReturnType<typeof createUploadRecordsStore>;

/** What is known about uploads, during and after their reading. */
export function createUploadRecordsStore(database: Pick<Database, 'run'>) {
  return {
    /** Finds the upload of these bytes that waits, is being read or was read. */
    async findByContent(environmentId: number, sha256: Buffer): Promise<StoredUpload | undefined> {
      return (await database.run<StoredUpload>(findByContent, [environmentId, sha256]))[0];
    },
    async find({ environmentId, uploadId }: UploadKey): Promise<StoredUpload | undefined> {
      return (await database.run<StoredUpload>(findUpload, [environmentId, uploadId]))[0];
    },
    /** Newest first. @param before the last id of the previous page */
    list: (environmentId: number, before: string | undefined, limit: number): Promise<StoredUpload[]> =>
      database.run<StoredUpload>(listUploads, [environmentId, before ?? null, limit]),
  };
}
