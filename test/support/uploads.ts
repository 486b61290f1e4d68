import { setTimeout as delay } from 'node:timers/promises';

import pino from 'pino';

import { createOperatorDatabase } from '../../src/db/operator-database';
import type { Database } from '../../src/db/pool/database';
import {
  createStatementReading,
  type StatementReading,
} from '../../src/features/bank-statements/reading/statement-reading';
import { createPublish } from '../../src/features/bank-statements/statements/publish-statements';
import { createAccountNumbersStore } from '../../src/features/bank-statements/accounts/account-numbers.store';
import { createKnownAccountsStore } from '../../src/features/bank-statements/accounts/known-accounts.store';
import { createStatementAccounts } from '../../src/features/bank-statements/statements/statement-accounts';
import {
  createStatementLinesStore,
  type StatementLinesStore,
} from '../../src/features/bank-statements/statements/statement-lines.store';
import type { PublishUpload, UploadBeingRead } from '../../src/features/bank-statements/uploads/read-upload';
import { createStatementUploads } from '../../src/features/bank-statements/uploads/statement-uploads.service';
import type { UploadOptions } from '../../src/features/bank-statements/uploads/statement-upload';
import {
  createStatementUploadsStore,
  type StatementUploadsStore,
} from '../../src/features/bank-statements/uploads/statement-uploads.store';
import { createUploadRecordsStore } from '../../src/features/bank-statements/uploads/upload-records.store';
import { startUploadReading } from '../../src/features/bank-statements/uploads/upload-reading';
import type { Peppers } from '../../src/core/key-pairs/credentials';
import { generateTransactionTag } from '../../src/shared/transaction-id';
import type { TestDatabase } from './database';

export const peppersOf = (...texts: string[]): Peppers =>
  new Map(texts.map((text, at) => [at + 1, Buffer.from(text)]));

/** A process with uploads, as the service composes them. */
export interface UploadsInTest {
  database: Database;
  store: StatementUploadsStore;
  statements: StatementLinesStore;
  /** Publishes as the service does. */
  publish: PublishUpload;
  receive: (environmentId: number, file: string | Buffer, options?: UploadOptions) => Promise<string>;
  service: ReturnType<typeof createStatementUploads>;
  /** The log lines, with the fields. */
  log: string[];
  /** Reads in the background until the condition holds, and then stops. */
  readUntil: (condition: () => Promise<boolean>, work?: UploadWork) => Promise<void>;
  close: () => Promise<void>;
}

/** What a test does with an upload. Without a result, the upload ends without any statement. */
export type UploadWork = (upload: UploadBeingRead) => Promise<boolean | undefined>;

/** Reads every line, and publishes nothing. */
export const readAll: UploadWork = async ({ parts }) => {
  for await (const part of parts)
    if ('lines' in part && part.lines.length === 0) throw new Error('a part is empty');
  return undefined;
};

export function uploadsOf(
  { url }: TestDatabase,
  peppers: Peppers,
  reading: StatementReading = createStatementReading(),
): UploadsInTest {
  const database = createOperatorDatabase(url);
  const store = createStatementUploadsStore(database);
  const records = createUploadRecordsStore(database);
  const statements = createStatementLinesStore(database);
  const service = createStatementUploads({ store, records, statements, peppers, wake: () => undefined });
  const accounts = createStatementAccounts({
    store: createKnownAccountsStore(database),
    numbers: createAccountNumbersStore(database),
    peppers,
  });
  const log: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line) => void log.push(line) });
  return {
    database,
    store,
    service,
    statements,
    publish: createPublish({ statements, accounts }),
    log,
    async receive(environmentId, file, options = {}) {
      const { upload } = await service.receive(environmentId, [Buffer.from(file)], options);
      return upload.uploadId;
    },
    async readUntil(condition, work = readAll) {
      const tagsOf = () => Promise.resolve(new Set<string>());
      const publish: PublishUpload = async (upload) =>
        (await work(upload)) ??
        statements.publishUpload(upload.claim, { ...upload.file, lines: 0, problems: [] }, []);
      const background = startUploadReading({ store, peppers, reading, tagsOf, publish }, logger, 20);
      try {
        for (const deadline = Date.now() + 60_000; !(await condition());) {
          if (Date.now() > deadline) throw new Error(`not read: ${log.join('')}`);
          await delay(20);
        }
      } finally {
        await background.stop();
      }
    },
    close: () => database.close(),
  };
}

/** Adds a company with a test environment. */
export async function addCompany({ admin }: TestDatabase): Promise<number> {
  const { rows } = await admin.query<{ environment_id: number }>(
    `WITH company AS (INSERT INTO companies (company_id, name) VALUES (gen_random_uuid(), $1) RETURNING company_id)
     INSERT INTO environments (company_id, kind, transaction_tag) SELECT company_id, 'test', $1 FROM company
     RETURNING environment_id`,
    [generateTransactionTag()],
  );
  return rows[0]!.environment_id;
}

export interface UploadRow {
  state: string;
  reason: string | null;
  attempts: number;
  read_lines: number;
  chunks: number;
  pause: number | null;
}

export async function rowOf({ admin }: TestDatabase, uploadId: string): Promise<UploadRow | undefined> {
  const { rows } = await admin.query<UploadRow>(
    `SELECT u.state, u.reason, u.attempts, u.read_lines,
            (SELECT count(*)::integer FROM statement_upload_chunks c
              WHERE c.environment_id = u.environment_id AND c.upload_id = u.upload_id) AS chunks,
            round(EXTRACT(EPOCH FROM u.next_attempt_at - clock_timestamp()))::integer AS pause
       FROM statement_uploads u WHERE u.upload_id = $1`,
    [uploadId],
  );
  return rows[0];
}
