import type { Knex } from 'knex';

import { splitStatements } from '../migrations/split-statements';

/**
 * Sends each statement of a text separately. Citus would send the whole text to the workers once
 * for each of its statements, and fail.
 */
function sendingOneByOne<T extends Knex>(knex: T): T {
  const raw = async (text: string, ...bindings: unknown[]): Promise<unknown> => {
    const statements = bindings.length === 0 ? splitStatements(text) : [text];
    let result: unknown;
    for (const statement of statements) {
      result = await knex.raw(statement, ...(bindings as [Knex.RawBinding[]]));
    }
    return result;
  };
  return new Proxy(knex, {
    get: (target, name) => (name === 'raw' ? raw : (Reflect.get(target, name) as unknown)),
  });
}

/** The same migrations, in the form that the coordinator of a Citus cluster accepts. */
export function forCitus(source: Knex.MigrationSource<unknown>): Knex.MigrationSource<unknown> {
  return {
    getMigrations: (extensions) => source.getMigrations(extensions),
    getMigrationName: (entry) => source.getMigrationName(entry),
    getMigration: async (entry) => {
      const migration = await source.getMigration(entry);
      return {
        ...migration,
        up: (knex: Knex) => migration.up(sendingOneByOne(knex)),
        down: (knex: Knex) => migration.down?.(sendingOneByOne(knex)) ?? Promise.resolve(),
      };
    },
  };
}
