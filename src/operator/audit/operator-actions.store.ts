import { DatabaseFailure } from '../../db/errors';
import { OperatorError } from '../../shared/operator-error';
import { v7 as uuidv7 } from 'uuid';

import type { Statements } from '../../db/operator-transaction';

/** What an operator did. Nothing in it is a secret, a user_hash or a user's name. */
export interface NewOperatorAction {
  /** A note that nobody has verified: the setting OPERATOR, or the account and the machine. */
  claimedOperator: string;
  /** Such as "keys revoke". */
  command: string;
  /** What it was done to, in words by which it is found again. */
  target: string | null;
  arguments: Readonly<Record<string, unknown>>;
  result: Readonly<Record<string, unknown>>;
}

export interface OperatorAction extends NewOperatorAction {
  /** From 1, without gaps. */
  position: number;
  actedAt: Date;
  /** Who did it: the database login, as PostgreSQL has checked it. */
  databaseRole: string;
}

/**
 * The latest action. With its position and hash kept elsewhere, nobody can change what was recorded
 * until then.
 */
export interface AuditHead {
  /** 0 while nothing is recorded. */
  position: number;
  /** In hexadecimal; zeros while nothing is recorded. */
  hash: string;
  /** Such as 2026-11-22T18:00:00.123456Z; null while nothing is recorded. */
  actedAt: string | null;
}

export interface OperatorActionsStore {
  /**
   * Appends it, in the transaction of what was done. Call it last: until the transaction ends,
   * other commands wait to append theirs.
   */
  record(action: NewOperatorAction): Promise<void>;
  /** The latest first. A command is one or more of its first words. */
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

/**
 * PostgreSQL shows when a transaction began only to its own login and to members of
 * pg_read_all_stats.
 */
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

/** @returns undefined when the lock is free by now */
async function lockedBy(database: Statements, cause: unknown): Promise<OperatorError | undefined> {
  const [holder] = await database.runUnprepared<Holder>(readHolder, []);
  if (!holder) return undefined;
  const { pid, usename, application_name: application, since } = holder;
  const began = since === null ? '' : `, in a transaction since ${since}`;
  return new OperatorError(
    `Another session holds the lock of the audit record: pid ${pid}, login ${usename ?? 'unknown'}, ` +
      `application_name "${application}"${began}. Nothing was done. Retry when it has finished. ` +
      `If it does not finish, run SELECT pg_terminate_backend(${pid}) as its login or as a superuser.`,
    { cause },
  );
}

export function createOperatorActionsStore(database: Statements): OperatorActionsStore {
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
