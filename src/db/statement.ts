/**
 * A named prepared statement of the request path. PostgreSQL parses and plans it once per connection.
 * A value, not a class: each store declares the few that it needs, next to the code that reads their rows.
 */
export interface Statement {
  /** Unique in the program: PostgreSQL refuses two texts under one name on a connection. */
  readonly name: string;
  readonly text: string;
}

export function statement(name: string, text: string): Statement {
  return Object.freeze({ name, text: text.trim() });
}
