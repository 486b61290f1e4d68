import { membersOf } from '../../db/query';
import { maySeeEvidence } from './who-may-see';

/** The columns that a response shows, and those that decide whether the caller may see the row. */
export const neededColumns = [
  'environment_id',
  'transaction_id',
  'user_id',
  'status',
  'project_id',
  'amount_cents',
  'currency',
  'created_at',
  'completed_at',
  'completed_by_environment_id',
  'bank_reference',
  'value_date',
  'idempotency_key',
  'returned_cents',
  'corrected_at',
];

const evidence = (column: string): string => `CASE WHEN ${maySeeEvidence} THEN ${column} END`;

const columnsForAll = `
  ${membersOf('t', 'transactionId', 'status', 'projectId', 'amountCents', 'currency', 'createdAt', 'completedAt')},
  ${membersOf('t', 'returnedCents', 'correctedAt')},
  ${evidence('t.bank_reference')} AS "bankReference", ${evidence('t.value_date::text')} AS "valueDate",
  t.completed_by_environment_id IS NOT DISTINCT FROM $1 AS "completedByCaller"`;

/** The columns of a transaction `t` that the caller ($1) may see, without those of the company. */
export const transactionColumns = `${columnsForAll},
  t.environment_id = $1 AS "isOwn",
  CASE WHEN t.environment_id = $1 THEN u.user_hash END AS "userHash",
  CASE WHEN t.environment_id = $1 THEN u.first_name END AS name,
  CASE WHEN t.environment_id = $1 THEN t.idempotency_key END AS "idempotencyKey"`;

/**
 * The same columns for a transaction of another environment. The caller sees neither its user nor
 * its idempotency key, so the query does not join `users`.
 */
export const linkedTransactionColumns = `${columnsForAll},
  false AS "isOwn", NULL::text AS "userHash", NULL::text AS name, NULL::text AS "idempotencyKey"`;

/** Joins the user of a transaction `t`. */
export const withUser = 'JOIN users u ON u.environment_id = t.environment_id AND u.user_id = t.user_id';
