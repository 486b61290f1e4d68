import { v7 as uuidv7 } from 'uuid';

import type { Statements } from '../../db/operator-transaction';

/** What an operator did. Nothing in it is a secret, a user_hash or a user's name. */
export interface NewOperatorAction {
  operator: string;
  /** Such as "keys revoke". */
  command: string;
  /** What it was done to, in words by which it is found again. */
  target: string | null;
  arguments: Readonly<Record<string, unknown>>;
  result: Readonly<Record<string, unknown>>;
}

export interface OperatorAction extends NewOperatorAction {
  actedAt: Date;
  databaseRole: string;
}

export interface OperatorActionsStore {
  /** Appends it, in the transaction of what was done. */
  record(action: NewOperatorAction): Promise<void>;
  /** The latest first. A command is one or more of its first words. */
  list(filter: { command: string | undefined; limit: number }): Promise<OperatorAction[]>;
}

interface Row {
  acted_at: Date;
  operator: string;
  database_role: string;
  command: string;
  target: string | null;
  arguments: Record<string, unknown>;
  result: Record<string, unknown>;
}

export function createOperatorActionsStore(database: Statements): OperatorActionsStore {
  return {
    async record(action) {
      await database.runUnprepared(
        `INSERT INTO operator_actions (action_id, operator, command, target, arguments, result)
         VALUES ($1, $2, $3, $4, $5::jsonb, $6::jsonb)`,
        [
          uuidv7(),
          action.operator,
          action.command,
          action.target,
          JSON.stringify(action.arguments),
          JSON.stringify(action.result),
        ],
      );
    },

    async list({ command, limit }) {
      const rows = await database.runUnprepared<Row>(
        `SELECT a.acted_at, a.operator, a.database_role, a.command, a.target, a.arguments, a.result
           FROM operator_actions a
          WHERE $1::text IS NULL OR a.command = $1 OR starts_with(a.command, $1 || ' ')
          ORDER BY a.acted_at DESC, a.action_id DESC
          LIMIT $2`,
        [command ?? null, limit],
      );
      return rows.map(({ acted_at: actedAt, database_role: databaseRole, ...row }) => ({
        ...row,
        actedAt,
        databaseRole,
      }));
    },
  };
}
