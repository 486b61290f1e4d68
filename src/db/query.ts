/**
 * Builds a condition, starting with AND, that selects the rows to read by environment. Empty if all
 * are read.
 */
export type IsRead = (row: string) => string;

export const allEnvironments: IsRead = () => '';

/**
 * A named prepared statement. PostgreSQL parses it once per connection. Each store declares its
 * queries next to the code that reads their rows.
 */
export interface Query {
  /** Unique in the program, because a connection keeps one text for each name. */
  readonly name: string;
  readonly text: string;
  /**
   * The unique name of a text that is built for each call and prepared. All such texts share
   * `name`.
   */
  readonly preparedName?: string;
  /** Whether it changes rows. Its commit may then have to wait for a standby. */
  readonly writes: boolean;
  /** Whether money depends on it. It may then use the reserved share of the connection queue. */
  readonly isEssential: boolean;
  /**
   * Set if the query reads rows of all environments. Builds the text that reads only some of
   * them. The condition is on each table, because a cluster then skips the other servers.
   */
  readonly textOf?: (isRead: IsRead) => string;
}

/** @param options `writes` is needed only if the SQL calls a function that writes */
export function query(
  name: string,
  text: string,
  {
    isEssential = false,
    writes = /\b(INSERT INTO|UPDATE|DELETE FROM)\b/.test(text),
    textOf,
  }: Partial<Pick<Query, 'isEssential' | 'writes' | 'textOf'>> = {},
): Query {
  return Object.freeze({ name, text: text.trim(), writes, isEssential, ...(textOf && { textOf }) });
}

/**
 * Columns that are named like the members of an object, such as `w.created_at AS "createdAt"`. The
 * rows then need no translation.
 */
export const membersOf = (row: string, ...names: readonly string[]): string =>
  names
    .map((name) => `${row}.${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)} AS "${name}"`)
    .join(', ');

/**
 * A column for queries whose success confirms a contribution. It makes the server send warnings
 * until the commit, whatever `client_min_messages` is. Without the warning about a commit that was
 * not replicated, the service would take that commit for a replicated one.
 */
export const enableWarnings = `set_config('client_min_messages', 'warning', true) AS hears`;
