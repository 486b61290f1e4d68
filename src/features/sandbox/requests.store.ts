import type { Database } from '../../db/pool/database';
import { membersOf, query } from '../../db/query';

/** One error of a request, as the problem document listed it. */
export type LoggedError = { code: string; detail: string } & (
  { pointer: string } | { parameter: string } | { header: string }
);

/** The value of a known parameter or member, or the text that replaces it. */
export type LoggedValue = string | number | boolean | null;

/** The parts of an entry that are not searched. */
export interface LoggedDetails {
  query: Record<string, LoggedValue>;
  /** Null if there was no body that could be parsed. */
  body: Record<string, LoggedValue> | null;
  errorDetail: string | null;
  errors: LoggedError[];
  transactionId: string | null;
  isReplayed: boolean;
  /** The kind of the fault that the client requested. */
  fault: string | null;
}

/** A request of a test environment, without secrets and personal data. */
export interface LoggedRequest {
  receivedAt: Date;
  /** Unique, because a caller may send one request id twice. */
  entryId: string;
  requestId: string;
  method: string;
  /** Null if this API has no such path. */
  path: string | null;
  operation: string | null;
  /** Null if the client left before the response. */
  status: number | null;
  errorCode: string | null;
  durationMs: number;
  apiKey: string;
  idempotencyKey: string | null;
  details: LoggedDetails;
}

export type RequestsStore = ReturnType<typeof createRequestsStore>;

const mostEntriesKept = 1_000;
const keptFor = `interval '24 hours'`;
const mostDeletedAtOnce = 5_000;
const mostEnvironmentsAtOnce = 1_000;

const names = [
  ...[
    'receivedAt',
    'entryId',
    'requestId',
    'method',
    'path',
    'operation',
    'status',
    'errorCode',
    'durationMs',
  ],
  ...['apiKey', 'idempotencyKey', 'details'],
] as const;

// $1 environment_id, $2 the maximum number of rows
const readRequests = query(
  'read_sandbox_requests',
  `
  SELECT ${membersOf('r', ...names)}
    FROM sandbox_requests r
   WHERE r.environment_id = $1 AND r.received_at >= statement_timestamp() - ${keptFor}
   ORDER BY r.received_at DESC, r.entry_id DESC
   LIMIT $2
  `,
);

/**
 * The commit waits neither for the disk nor for a standby: losing entries is acceptable. Waiting
 * would occupy a connection that contributions need.
 *
 * $1 entries
 */
const insertRequests = query(
  'log_sandbox_requests',
  `
  INSERT INTO sandbox_requests
    (environment_id, received_at, entry_id, request_id, method, path, operation, status, error_code, duration_ms,
     api_key, idempotency_key, details)
  SELECT entry.*
    FROM jsonb_to_recordset($1::jsonb) AS entry (
      "environmentId" integer, "receivedAt" timestamptz, "entryId" uuid, "requestId" text, method text, path text,
      operation text, status integer, "errorCode" text, "durationMs" float8, "apiKey" text, "idempotencyKey" text,
      details jsonb)
   WHERE (SELECT set_config('synchronous_commit', 'off', true)) = 'off'
  `,
  { writes: false },
);

// $1 environment_id
const trimRequests = query(
  'trim_sandbox_requests',
  `
  DELETE FROM sandbox_requests r
   WHERE r.environment_id = $1 AND (r.received_at, r.entry_id) IN (
     SELECT o.received_at, o.entry_id FROM sandbox_requests o
      WHERE o.environment_id = $1 AND o.received_at < GREATEST(
        statement_timestamp() - ${keptFor},
        (SELECT k.received_at FROM sandbox_requests k
          WHERE k.environment_id = $1
          ORDER BY k.received_at DESC, k.entry_id DESC
         OFFSET ${mostEntriesKept - 1} LIMIT 1)
      )
      ORDER BY o.received_at, o.entry_id
      LIMIT ${mostDeletedAtOnce}
   )
  `,
);

// Reads all environments. Only the writer uses it, and it trims each environment separately.
const listEnvironments = query(
  'list_sandbox_requests_to_trim',
  `
  SELECT DISTINCT r.environment_id
    FROM sandbox_requests r
   WHERE r.received_at < statement_timestamp() - ${keptFor}
   LIMIT ${mostEnvironmentsAtOnce}
  `,
);

export function createRequestsStore(database: Pick<Database, 'run'>) {
  return {
    /** The newest entries of the last 24 hours, newest first. */
    list: (environmentId: number, limit: number) =>
      database.run<LoggedRequest>(readRequests, [environmentId, limit]),
    /** Writes entries of any environments with one query. */
    async insert(entries: readonly { environmentId: number; request: LoggedRequest }[]) {
      const rows = entries.map(({ environmentId, request }) => ({ environmentId, ...request }));
      await database.run(insertRequests, [JSON.stringify(rows)]);
    },
    /**
     * Deletes entries except the newest 1,000 of the last 24 hours. One call deletes a limited
     * number.
     */
    async trim(environmentId: number) {
      await database.run(trimRequests, [environmentId]);
    },
    /** Environments with entries older than 24 hours. */
    async environmentsWithOldEntries() {
      const rows = await database.run<{ environment_id: number }>(listEnvironments, []);
      return rows.map((row) => row.environment_id);
    },
  };
}
