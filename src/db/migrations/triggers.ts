import type { Knex } from 'knex';

import { tableNames } from '../cluster';
import type { Definitions, RunQuery } from './definitions';
import { functionOf, type SchemaFile } from './schema-files';

/** As in {@link Definitions}. */
const nameOf = (trigger: string, table: string): string => `trigger ${trigger} of ${table}`;

/** The names of the triggers that a file defines. */
const triggersOf = ({ text }: SchemaFile): ReadonlySet<string> =>
  new Set(
    Array.from(text.matchAll(/^CREATE OR REPLACE TRIGGER (\w+)\s[^;]*?\sON (\w+)/gm), ([, trigger, table]) =>
      nameOf(trigger ?? '', table ?? ''),
    ),
  );

/**
 * Drops the triggers of a function that its file does not define: `CREATE OR REPLACE` would keep
 * them.
 *
 * @returns the triggers that are on and need no query of the file, by its normalized text.
 *   Replacing one would need a lock for which autovacuum makes the run wait
 */
export async function prepareTriggers(
  transaction: Knex,
  runQuery: RunQuery,
  file: SchemaFile,
): Promise<ReadonlyMap<string, string>> {
  const triggers = await runQuery<{ trigger: string; table: string; definition: string; is_on: boolean }>(
    `SELECT t.tgname AS trigger, c.relname AS "table", pg_get_triggerdef(t.oid) AS definition, t.tgenabled = 'O' AS is_on
       FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
      WHERE NOT t.tgisinternal AND c.relnamespace = 'public'::regnamespace AND c.relname = ANY ($2)
        AND p.pronamespace = 'public'::regnamespace AND p.proname = $1`,
    [functionOf(file), tableNames],
  );
  const defined = triggersOf(file);
  for (const { trigger, table } of triggers) {
    if (!defined.has(nameOf(trigger, table)))
      await transaction.raw('DROP TRIGGER ?? ON ??', [trigger, table]);
  }
  return new Map(
    triggers
      .filter((one) => one.is_on)
      .map(({ trigger, table, definition }) => [normalized(definition), nameOf(trigger, table)]),
  );
}

export const normalized = (definition: string): string =>
  definition.replace('OR REPLACE ', '').replace(' public.', ' ').replace(/\s+/g, ' ').trim();

/**
 * The definitions of a file without what somebody changed during the run. A table whose triggers
 * the run did not replace was not locked.
 *
 * @param unchanged the triggers that the run did not replace, as they were before it
 */
export function withoutChangesMeanwhile(
  file: SchemaFile,
  now: Definitions,
  unchanged: Definitions,
): Definitions {
  const defined = triggersOf(file);
  const ofFile = Object.entries(now).filter(([name]) => !name.startsWith('trigger ') || defined.has(name));
  return { ...Object.fromEntries(ofFile), ...unchanged };
}
