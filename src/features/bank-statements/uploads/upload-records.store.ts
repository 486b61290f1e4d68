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

// $1 environment_id, $2 upload_id
const accountsOfFile = query(
  'list_accounts_of_file',
  `
  SELECT s.account_id, a.ending AS account_ending, a.name AS account_name, count(*)::integer AS statements,
         min(s.first_day)::text AS "from", max(s.last_day)::text AS "to"
    FROM bank_statements s
    JOIN statement_accounts a ON a.environment_id = s.environment_id AND a.account_id = s.account_id
   WHERE s.environment_id = $1 AND s.file_id = $2 AND s.voided_at IS NULL
   GROUP BY s.account_id, a.ending, a.name ORDER BY s.account_id
  `,
);

// $1 environment_id
const readCompany = query(
  'read_company_of_environment',
  'SELECT e.company_id AS "companyId" FROM environments e WHERE e.environment_id = $1',
);

/** An account in a file, as people see it. */
export interface AccountOfFile {
  account_id: string;
  account_ending: string | null;
  account_name: string | null;
  statements: number;
  from: string;
  to: string;
}

export type UploadRecordsStore = ReturnType<typeof createUploadRecordsStore>;

/** What is known about uploads, during and after their reading. */
export function createUploadRecordsStore(database: Pick<Database, 'run'>) {
  return {
    async companyOf(environmentId: number): Promise<string> {
      const [row] = await database.run<{ companyId: string }>(readCompany, [environmentId]);
      return row?.companyId ?? '';
    },
    /** Finds the upload of these bytes that waits, is being read or was read. */
    async findByContent(environmentId: number, sha256: Buffer): Promise<StoredUpload | undefined> {
      return (await database.run<StoredUpload>(findByContent, [environmentId, sha256]))[0];
    },
    async find({ environmentId, uploadId }: UploadKey): Promise<StoredUpload | undefined> {
      return (await database.run<StoredUpload>(findUpload, [environmentId, uploadId]))[0];
    },
    /** The accounts of the statements in a file that was read, with their first and last days. */
    accountsOf: ({ environmentId, uploadId }: UploadKey): Promise<AccountOfFile[]> =>
      database.run<AccountOfFile>(accountsOfFile, [environmentId, uploadId]),
    /** Newest first. @param before the last id of the previous page */
    list: (environmentId: number, before: string | undefined, limit: number): Promise<StoredUpload[]> =>
      database.run<StoredUpload>(listUploads, [environmentId, before ?? null, limit]),
  };
}
