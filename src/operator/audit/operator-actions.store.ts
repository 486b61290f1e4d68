import { DatabaseFailure } from '../../db/errors';
import { OperatorError } from '../../shared/operator-error';
import { v7 as uuidv7 } from 'uuid';

import type { Queries } from '../../db/operator-transaction';

/**
 * An entry of the audit log: one command that changed something. It never contains a secret, a
 * user_hash or a user's name.
 */
export interface NewOperatorAction {
  /** An unverified note: the setting OPERATOR, or the account and the machine. */
  claimedOperator: string;
  /** The name of the command, such as "keys revoke". */
  command: string;
  /** The changed object, under the name that operators would search for. */
  target: string | null;
  arguments: Readonly<Record<string, unknown>>;
  result: Readonly<Record<string, unknown>>;
}

export interface OperatorAction extends NewOperatorAction {
  /** Numbered from 1 without gaps. */
  position: number;
  actedAt: Date;
  /** The database login, verified by PostgreSQL. */
  databaseRole: string;
}

/**
 * The position and hash of the last entry. Stored elsewhere, they reveal any later change of the
 * log up to this entry.
 */
export interface AuditHead {
  /** 0 if the log is empty. */
  position: number;
  /** The hash in hexadecimal. All zeros if the log is empty. */
  hash: string;
  /** The time of the last entry, such as 2026-11-22T18:00:00.123456Z. Null if the log is empty. */
  actedAt: string | null;
}

export interface OperatorActionsStore {
  /**
   * Adds an entry, in the same transaction as the change. Call it last: other commands cannot
   * add theirs until this transaction ends.
   */
  record(action: NewOperatorAction): Promise<void>;
  /** The entries, latest first. The filter `command` matches whole leading words of a command. */
  list(filter: { command: string | undefined; limit: number; skip?: number }): Promise<OperatorAction[]>;
  head(): Promise<AuditHead>;
}

interface Row {
  /** A bigint as text. */
  position: string;
  acted_at: Date;
  database_role: string;
  claimed_operator: string;
  command: string;
  target: string | null;
  arguments: Record<string, unknown>;
  result: Record<string, unknown>;
}

/** `since` is null for other logins, unless this login is a member of pg_read_all_stats. */
const readHolder = `
  SELECT l.pid, a.usename, a.application_name,
         to_char(a.xact_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS since
    FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
   WHERE l.relation = 'operator_actions'::regclass AND l.mode = 'ShareRowExclusiveLock' AND l.granted
     AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
   LIMIT 1`;

interface Holder {
  pid: number;
  usename: string | null;
  application_name: string;
  since: string | null;
}

/** lock_not_available */
const isLockTimeout = (error: unknown): boolean =>
  error instanceof DatabaseFailure &&
  error.cause instanceof Error &&
  'code' in error.cause &&
  error.cause.code === '55P03';

/** @returns undefined if the lock has been released since */
async function lockedBy(database: Queries, cause: unknown): Promise<OperatorError | undefined> {
  const [holder] = await database.runUnprepared<Holder>(readHolder, []);
  if (!holder) return undefined;
  const { pid, usename, application_name: application, since } = holder;
  const began = since === null ? '' : `, in a transaction since ${since}`;
  return new OperatorError(
    `Another session has locked the audit log: pid ${pid}, login ${usename ?? 'unknown'}, ` +
      `application_name "${application}"${began}. Nothing changed. Retry when it has finished. ` +
      `If it does not finish, run SELECT pg_terminate_backend(${pid}) under its login or as a superuser.`,
    { cause },
  );
}

export function createOperatorActionsStore(database: Queries): OperatorActionsStore {
  return {
    async record(action) {
      const values = [
        uuidv7(),
        action.claimedOperator,
        action.command,
        action.target,
        JSON.stringify(action.arguments),
        JSON.stringify(action.result),
      ];
      try {
        await database.runUnprepared(
          'SELECT record_operator_action($1, $2, $3, $4, $5::jsonb, $6::jsonb)',
          values,
        );
      } catch (error) {
        throw (isLockTimeout(error) && (await lockedBy(database, error))) || error;
      }
    },

    async list({ command, limit, skip = 0 }) {
      const rows = await database.runUnprepared<Row>(
        `SELECT a.position, a.acted_at, a.database_role, a.claimed_operator, a.command, a.target, a.arguments, a.result
           FROM operator_actions a
          WHERE $1::text IS NULL OR a.command = $1 OR starts_with(a.command, $1 || ' ')
          ORDER BY a.position DESC
          LIMIT $2 OFFSET $3`,
        [command ?? null, limit, skip],
      );
      return rows.map((row) => ({
        position: Number(row.position),
        actedAt: row.acted_at,
        databaseRole: row.database_role,
        claimedOperator: row.claimed_operator,
        command: row.command,
        target: row.target,
        arguments: row.arguments,
        result: row.result,
      }));
    },

    async head() {
      const [row] = await database.runUnprepared<{ position: string; hash: string; acted_at: string }>(
        `SELECT a.position, encode(a.hash, 'hex') AS hash,
                to_char(a.acted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS acted_at
           FROM operator_actions a ORDER BY a.position DESC LIMIT 1`,
        [],
      );
      return row
        ? { position: Number(row.position), hash: row.hash, actedAt: row.acted_at }
        : { position: 0, hash: '0'.repeat(64), actedAt: null };
    },
  };
}
