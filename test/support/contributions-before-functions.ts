import { v7 as uuidv7 } from 'uuid';

import { generateTransactionId } from '../../src/shared/transaction-id';
import type { EnvironmentKind } from '../../src/shared/scopes';
import type { TestDatabase } from './database';
import { createPool } from './pool';

/**
 * The statements with which the service created and completed contributions before the migration
 * 20261123000000_contribution_functions, without idempotency keys, bank links and evidence. A test
 * uses them while its schema is older than these functions.
 */
const createContribution = `
  WITH known_user AS (
    SELECT u.user_id FROM users u WHERE u.environment_id = $1 AND u.user_hash = $5
  ),
  new_user AS (
    INSERT INTO users (environment_id, user_hash, first_name)
    SELECT $1, $5, NULL WHERE NOT EXISTS (SELECT FROM known_user)
    ON CONFLICT ON CONSTRAINT users_user_hash_key DO NOTHING
    RETURNING user_id
  ),
  created AS (
    INSERT INTO transactions
      (environment_id, transaction_id, user_id, project_id, amount_cents, currency, status,
       created_by_api_key, created_at)
    SELECT $1, $2, giver.user_id, $3, $4, 'USD', 'pending', $6, clock_timestamp()
      FROM (SELECT user_id FROM known_user UNION ALL SELECT user_id FROM new_user) AS giver
    RETURNING transaction_id, project_id, amount_cents
  )
  INSERT INTO events (environment_id, event_id, transaction_id, type, actor_environment_id, actor_api_key, evidence)
  SELECT $1, $7, created.transaction_id, 'contribution.created', $1, $6,
         jsonb_build_object('project_id', created.project_id, 'amount_cents', created.amount_cents)
    FROM created`;

/** One statement, so that the completion and its change of the figures use the same snapshot. */
const completeContribution = `
  WITH completed AS (
    UPDATE transactions t
       SET status = 'completed', completed_at = GREATEST(clock_timestamp(), t.created_at),
           completed_by_environment_id = $1, completed_by_api_key = $3
     WHERE t.environment_id = $1 AND t.transaction_id = $2 AND t.status = 'pending'
    RETURNING t.environment_id, t.transaction_id, t.user_id, t.project_id, t.amount_cents, t.completed_at
  ),
  remembered AS (
    SELECT completed.environment_id, completed.user_id, completed.project_id, completed.completed_at
      FROM completed
      JOIN users u ON u.environment_id = completed.environment_id AND u.user_id = completed.user_id
     WHERE u.forgotten_at IS NULL
       FOR KEY SHARE OF u
  ),
  support AS (
    INSERT INTO supports (environment_id, user_id, project_id, first_supported_at, last_supported_at)
    SELECT environment_id, user_id, project_id, completed_at, completed_at FROM remembered
    ON CONFLICT ON CONSTRAINT supports_pkey DO UPDATE
       SET last_supported_at = GREATEST(supports.last_supported_at, EXCLUDED.last_supported_at),
           first_supported_at = LEAST(supports.first_supported_at, EXCLUDED.first_supported_at)
    RETURNING xmax = 0 AS is_new
  ),
  figures AS (
    INSERT INTO project_figure_changes (environment_id, project_id, amount_cents, supporters)
    SELECT completed.environment_id, completed.project_id, completed.amount_cents,
           (SELECT count(*) FROM support WHERE support.is_new)
      FROM completed
  )
  INSERT INTO events (environment_id, event_id, transaction_id, type, actor_environment_id, actor_api_key, evidence)
  SELECT $1, $4, completed.transaction_id, 'contribution.completed', $1, $3, '{}' FROM completed`;

export interface ContributionsBeforeFunctions {
  /**
   * Creates a contribution and completes it.
   *
   * @returns whether both statements recorded something
   */
  contribute(
    company: string,
    kind: EnvironmentKind,
    contribution: { projectId: number; amountCents: number; userHash: string },
  ): Promise<boolean>;
  stop(): Promise<void>;
}

/** Uses the service's role and its timeouts. */
export function createContributionsBeforeFunctions(
  database: TestDatabase,
  timeouts: { statementMs: number; lockMs: number },
): ContributionsBeforeFunctions {
  const pool = createPool(database.url, {
    max: 4,
    statement_timeout: timeouts.statementMs,
    lock_timeout: timeouts.lockMs,
  });

  async function callerOf(company: string, kind: EnvironmentKind) {
    const { rows } = await database.admin.query<{ id: number; tag: string; apiKey: string }>(
      `SELECT e.environment_id AS id, e.transaction_tag AS tag, k.api_key AS "apiKey"
         FROM environments e JOIN companies c USING (company_id) JOIN key_pairs k USING (environment_id)
        WHERE c.name = $1 AND e.kind = $2`,
      [company, kind],
    );
    return rows[0]!;
  }

  async function records(statement: string, values: unknown[]): Promise<boolean> {
    return (await pool.query(statement, values)).rowCount === 1;
  }

  return {
    async contribute(company, kind, { projectId, amountCents, userHash }) {
      const { id, tag, apiKey } = await callerOf(company, kind);
      const transactionId = generateTransactionId(tag, new Date());
      const contribution = [id, transactionId, projectId, amountCents, userHash, apiKey];
      const create = () => records(createContribution, [...contribution, uuidv7()]);
      // A concurrent create that inserts the same user wins. The second attempt finds that user.
      const isCreated = (await create()) || (await create());
      return isCreated && (await records(completeContribution, [id, transactionId, apiKey, uuidv7()]));
    },
    stop: () => pool.end(),
  };
}
