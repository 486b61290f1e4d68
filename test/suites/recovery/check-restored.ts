import type { PostgresServer } from '../faults/postgres/postgres-server';
import { type Judgement, judge, type Row } from './judge';
import { databaseName } from './production';
import type { Mark, History } from './history';
import { operate } from './service';

/**
 * Compares a restored database with the clients' responses, and runs the operator's checks on it.
 */
export async function checkRestored(
  server: PostgresServer,
  history: History,
  mark: Mark,
): Promise<Judgement & { counts: { creates: number; completions: number } }> {
  const rows = await server.query<Row>(
    `SELECT t.transaction_id, t.environment_id, t.amount_cents, t.project_id, u.user_hash, t.idempotency_key, t.status,
       t.bank_reference
     FROM transactions t LEFT JOIN users u ON u.environment_id = t.environment_id AND u.user_id = t.user_id`,
    [],
    databaseName,
  );
  const { wrong, missing } = judge(history.contributions, rows, mark);
  const verify = await operate(server, 'operator/cli/main.js', 'verify');
  if (verify.exitCode !== 0) wrong.push(`verify ended with ${verify.exitCode}: ${verify.output}`);
  const status = await operate(server, 'operator/cli/migrate.js', 'status');
  if (status.exitCode !== 0) wrong.push(`migrate status ended with ${status.exitCode}: ${status.output}`);
  const completions = rows.filter((row) => row.status === 'completed').length;
  return { wrong, missing, counts: { creates: rows.length, completions } };
}
