/**
 * A named prepared statement of the request path. PostgreSQL parses and plans it once per
 * connection. A value, not a class: each store declares the few that it needs, next to the code
 * that reads their rows.
 */
export interface Statement {
  /** Unique in the program: PostgreSQL refuses two texts under one name on a connection. */
  readonly name: string;
  readonly text: string;
  /**
   * Whether it changes something, a lock included: then its commit may have to wait for a standby.
   */
  readonly writes: boolean;
  /** Whether money depends on it: then it may wait for a connection where others are refused. */
  readonly isEssential: boolean;
}

export function statement(name: string, text: string, { isEssential = false } = {}): Statement {
  return Object.freeze({
    name,
    text: text.trim(),
    writes: /\b(INSERT INTO|UPDATE|DELETE FROM)\b/.test(text),
    isEssential,
  });
}

/**
 * A column for statements whose success is an acknowledgement. Until its commit is done, the server
 * sends warnings whatever it was told about messages: without the one about a commit that was not
 * replicated, that commit would pass for one that was.
 */
export const hearWarnings = `set_config('client_min_messages', 'warning', true) AS hears`;
