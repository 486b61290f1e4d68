import type { Intent, IntentStore } from '../intents.js';

/** A pool of the package `pg`, or anything that runs a statement like it. */
export interface Queryable {
  /**
   * Runs one statement.
   *
   * @param text the SQL, with `$1`, `$2` and so on for the values
   * @param values the values
   */
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/**
 * Keeps intents in a table of your own PostgreSQL database. Processes on several machines can share
 * it. Leave `synchronous_commit` on.
 *
 * @example
 * const store = new PostgresIntentStore(new pg.Pool(), 'contribution_intents');
 * await store.createTable(); // once, or in your migration
 */
export class PostgresIntentStore implements IntentStore {
  readonly #database: Queryable;
  readonly #table: string;

  /**
   * @param table the table's name, optionally with a schema. Default: `contribution_intents`
   * @throws TypeError for a name that needs quotes
   */
  constructor(database: Queryable, table = 'contribution_intents') {
    if (!/^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?$/.test(table))
      throw new TypeError('Pass a table name of lower-case letters, digits and _, such as shop.intents.');
    this.#database = database;
    this.#table = table;
  }

  /** Creates the table if it does not exist. */
  async createTable(): Promise<void> {
    await this.#database.query(
      `CREATE TABLE IF NOT EXISTS ${this.#table} (
         id text PRIMARY KEY, intent jsonb NOT NULL, stored_at timestamptz NOT NULL DEFAULT now())`,
    );
  }

  async put(intent: Intent): Promise<void> {
    await this.#database.query(
      `INSERT INTO ${this.#table} (id, intent) VALUES ($1, $2)
       ON CONFLICT (id) DO UPDATE SET intent = excluded.intent`,
      [intent.id, JSON.stringify(intent)],
    );
  }

  async get(id: string): Promise<Intent | undefined> {
    const { rows } = await this.#database.query(`SELECT intent FROM ${this.#table} WHERE id = $1`, [id]);
    return (rows as { intent: Intent }[])[0]?.intent;
  }

  async delete(id: string): Promise<void> {
    await this.#database.query(`DELETE FROM ${this.#table} WHERE id = $1`, [id]);
  }

  /** All intents, oldest first. */
  async list(): Promise<Intent[]> {
    const { rows } = await this.#database.query(`SELECT intent FROM ${this.#table} ORDER BY stored_at`);
    return (rows as { intent: Intent }[]).map(({ intent }) => intent);
  }
}
