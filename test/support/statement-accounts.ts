import { randomUUID } from 'node:crypto';

import type { Pool } from 'pg';

let count = 0;

async function addEnvironment(admin: Pool): Promise<number> {
  const companyId = randomUUID();
  await admin.query('INSERT INTO companies (company_id, name) VALUES ($1, $2)', [companyId, companyId]);
  const { rows } = await admin.query<{ environment_id: number }>(
    `INSERT INTO environments (company_id, kind, transaction_tag) VALUES ($1, 'test', $2) RETURNING environment_id`,
    [companyId, `Z${String((count += 1)).padStart(3, '0')}`],
  );
  return rows[0]!.environment_id;
}

/** Stores an account without the service, of a new environment unless one is given. */
export async function addStatementAccount(
  admin: Pool,
  given?: number,
): Promise<{ environmentId: number; accountId: string }> {
  const environmentId = given ?? (await addEnvironment(admin));
  const accountId = randomUUID();
  await admin.query(
    `INSERT INTO statement_accounts (environment_id, account_id, account_hmac, direction) VALUES ($1, $2, $3, 'credit')`,
    [environmentId, accountId, Buffer.from(accountId)],
  );
  return { environmentId, accountId };
}
