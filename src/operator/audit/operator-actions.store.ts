import { DatabaseFailure } from '../../db/errors';
import { OperatorError } from '../../shared/operator-error';
import { v7 as uuidv7 } from 'uuid';

import type { Queries } from '../../db/operator-transaction';
import { membersOf } from '../../db/query';

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

interface ActionFilter {
  command: string | undefined;
  limit: number;
  skip?: number;
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

export function createOperatorActionsStore(database: Queries) {
  return {
    /**
     * Adds an entry, in the same transaction as the change. Call it last: other commands cannot
     * add theirs until this transaction ends.
     */
    async record(action: NewOperatorAction) {
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

    /** The entries, latest first. The filter `command` matches whole leading words of a command. */
    list: ({ command, limit, skip = 0 }: ActionFilter) =>
      database.runUnprepared<OperatorAction>(
        `SELECT a.position::float8 AS position, ${membersOf('a', 'actedAt', 'databaseRole', 'claimedOperator', 'command')},
                ${membersOf('a', 'target', 'arguments', 'result')}
           FROM operator_actions a
          WHERE $1::text IS NULL OR a.command = $1 OR starts_with(a.command, $1 || ' ')
          ORDER BY a.position DESC
          LIMIT $2 OFFSET $3`,
        [command ?? null, limit, skip],
      ),

    async head(): Promise<AuditHead> {
      const [row] = await database.runUnprepared<AuditHead>(
        `SELECT a.position::float8 AS position, encode(a.hash, 'hex') AS hash,
                to_char(a.acted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "actedAt"
           FROM operator_actions a ORDER BY a.position DESC LIMIT 1`,
        [],
      );
      return row ?? { position: 0, hash: '0'.repeat(64), actedAt: null };
    },
  };
}
