import type { Pool } from 'pg';

/** The environment_id of a company's environment. */
export async function environmentOf(
  admin: Pick<Pool, 'query'>,
  company: string,
  kind: 'test' | 'production' = 'test',
): Promise<number> {
  const { rows } = await admin.query<{ id: number }>(
    'SELECT environment_id AS id FROM environments JOIN companies USING (company_id) WHERE name = $1 AND kind = $2',
    [company, kind],
  );
  return rows[0]!.id;
}
