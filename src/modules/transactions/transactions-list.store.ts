import type { Database } from '../../db/database';
import type { Principal } from '../../shared/scopes';
import type { Transaction, TransactionStatus } from './transaction';
import { maySee } from './transaction-rights';
import { toTransaction, transactionColumns, type TransactionRow, withUser } from './transactions.store';

/** Where a page ends: the time it is ordered by, in microseconds since 1970, and the id. */
export type PageKey = readonly [microseconds: number, transactionId: string];

/** All times are UTC and half-open: from inclusive, to exclusive. */
export interface TransactionFilter {
  status?: TransactionStatus | undefined;
  createdFrom?: string | undefined;
  createdTo?: string | undefined;
  completedFrom?: string | undefined;
  completedTo?: string | undefined;
  projectId?: string | undefined;
  /** These two find only the caller's own transactions: a bank knows neither. */
  userHash?: string | undefined;
  idempotencyKey?: string | undefined;
}

/** Which page: of the list by which time, after what. */
export interface PageRequest {
  order: 'created' | 'completed';
  limit: number;
  after: PageKey | undefined;
  /** Who asks, for the server's operator: the statements of a list carry it. */
  requestId: string;
}

export interface TransactionPage {
  transactions: Transaction[];
  /** The key of the last transaction, when there are more. */
  next: PageKey | undefined;
  /** Nothing that is not in the answers yet will ever show a time before this one. */
  completeUntil: Date;
}

export interface TransactionsListStore {
  list(principal: Principal, filter: TransactionFilter, page: PageRequest): Promise<TransactionPage>;
}

/**
 * How far back in time everything is visible. Both times of a transaction are read from the clock while its statement
 * runs, so one that is not committed yet shows a time at or after the start of its statement. What runs now is in
 * pg_stat_activity (a role sees its own sessions), what starts after that look gets a later time than the start of this statement; and because this runs as a
 * statement before the listing, whatever it no longer sees running is committed when the listing looks.
 */
const visibilityHorizon = `
  SELECT LEAST(statement_timestamp(), min(a.xact_start)) AS complete_until
    FROM pg_stat_activity a
   WHERE a.datname = current_database() AND a.backend_type = 'client backend' AND a.pid <> pg_backend_pid()`;

export function createTransactionsListStore(database: Database): TransactionsListStore {
  return {
    async list(principal, filter, page) {
      const { requestId } = page;
      const [horizon] = await database.runUnprepared<{ complete_until: Date }>(visibilityHorizon, [], {
        name: 'read_visibility_horizon',
        requestId,
      });
      if (!horizon) throw new Error('the visibility horizon has no row');

      const { text, values } = listQuery(principal, filter, page);
      const rows = await database.runUnprepared<TransactionRow & { microseconds: string }>(text, values, {
        name: 'list_transactions',
        requestId,
      });
      const shown = rows.slice(0, page.limit);
      const last = shown.at(-1);
      return {
        transactions: shown.map(toTransaction),
        next: rows.length > page.limit && last ? [Number(last.microseconds), last.transaction_id] : undefined,
        completeUntil: horizon.complete_until,
      };
    },
  };
}

/**
 * Puts the listing together from the filters that are present, so that PostgreSQL plans for just those.
 *
 * Each environment that the caller may look into gives the first of its own, in order of the index that fits, and the page is made of
 * those: a bank reads as many rows as it shows for each company that it was ever linked with, whatever else they have.
 */
function listQuery(principal: Principal, filter: TransactionFilter, { order, limit, after }: PageRequest) {
  const values: unknown[] = [principal.environmentId];
  const value = (given: unknown): string => `$${values.push(given)}`;
  const time = order === 'completed' ? 'completed_at' : 'created_at';

  const conditions = ['t.environment_id = visible.environment_id', maySee];
  if (filter.status !== undefined) conditions.push(`t.status = ${value(filter.status)}`);
  if (filter.createdFrom !== undefined) conditions.push(`t.created_at >= ${value(filter.createdFrom)}`);
  if (filter.createdTo !== undefined) conditions.push(`t.created_at < ${value(filter.createdTo)}`);
  if (filter.completedFrom !== undefined) conditions.push(`t.completed_at >= ${value(filter.completedFrom)}`);
  if (filter.completedTo !== undefined) conditions.push(`t.completed_at < ${value(filter.completedTo)}`);
  if (filter.projectId !== undefined) conditions.push(`t.project_id = ${value(filter.projectId)}::bigint`);
  if (filter.userHash !== undefined) conditions.push(`t.user_id = ${userOf(value(filter.userHash))}`);
  if (filter.idempotencyKey !== undefined)
    conditions.push(`t.idempotency_key = ${value(filter.idempotencyKey)}`);
  if (after) {
    const [microseconds, transactionId] = after;
    const at = `timestamptz 'epoch' + ${value(microseconds)}::bigint * interval '1 microsecond'`;
    conditions.push(`(t.${time}, t.transaction_id) > (${at}, ${value(transactionId)})`);
  }
  // What only its owner knows is looked for among the owner's own.
  const isOwnOnly = filter.userHash !== undefined || filter.idempotencyKey !== undefined;
  const most = value(limit + 1);
  const text = `
    SELECT (extract(epoch FROM t.${time}) * 1000000)::bigint AS microseconds, ${transactionColumns}
      FROM (
        SELECT first_ones.*
          FROM (SELECT $1::integer AS environment_id${isOwnOnly ? '' : linkedOnes}) AS visible
          CROSS JOIN LATERAL (
            SELECT ${columns.map((column) => `t.${column}`).join(', ')}
              FROM transactions t
             WHERE ${conditions.join('\n               AND ')}
             ORDER BY t.${time}, t.transaction_id
             LIMIT ${most}
          ) AS first_ones
         ORDER BY first_ones.${time}, first_ones.transaction_id
         LIMIT ${most}
      ) AS t ${withUser}
     ORDER BY t.${time}, t.transaction_id`;
  return { text, values };
}

/** What a page needs of a row. */
const columns = [
  'environment_id',
  'transaction_id',
  'user_id',
  'status',
  'project_id',
  'amount_cents',
  'currency',
  'created_at',
  'completed_at',
  'bank_reference',
  'value_date',
  'idempotency_key',
];

/** The environments whose bank the caller is, or was. */
const linkedOnes = `
                UNION
                SELECT l.environment_id FROM bank_links l WHERE l.bank_environment_id = $1`;

const userOf = (userHash: string): string =>
  `(SELECT u.user_id FROM users u WHERE u.environment_id = $1 AND u.user_hash = ${userHash})`;
