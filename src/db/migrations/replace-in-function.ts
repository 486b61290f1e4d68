import type { Knex } from 'knex';

/**
 * Changes one part of a database function, and keeps the rest as it is in the database. Applied
 * migrations depend on this helper: do not change its behavior.
 *
 * @param signature such as `reset_sandbox(integer, integer)`
 * @param before text that the definition contains exactly once
 * @throws Error if the definition does not contain it exactly once
 */
export async function replaceInFunction(
  knex: Knex,
  signature: string,
  before: string,
  after: string,
): Promise<void> {
  const { rows } = await knex.raw<{ rows: [{ definition: string }] }>(
    'SELECT pg_get_functiondef(?::regprocedure) AS definition',
    [signature],
  );
  const [start, end, ...more] = rows[0].definition.split(before);
  if (start === undefined || end === undefined || more.length > 0) {
    throw new Error(`the definition of ${signature} is not the one that this migration changes`);
  }
  // Knex would take a question mark as a parameter.
  await knex.raw((start + after + end).replaceAll('?', '\\?'));
}
