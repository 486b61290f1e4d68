/** Identifies a statement that is not prepared. A prepared statement cannot carry a comment. */
export interface StatementLabel {
  /** As unique as the name of a prepared statement. */
  readonly name: string;
  /** As in the response. */
  readonly requestId: string;
}

/**
 * The SQL comment by which pg_stat_activity and the server's log show the request of a statement.
 * A caller may choose the request id, so the id is validated again: no caller may end the comment.
 */
export function commentOn({ name, requestId }: StatementLabel): string {
  const id = /^[A-Za-z0-9._-]{1,128}$/.test(requestId) ? requestId : 'unknown';
  return `/* ${name} request_id=${id} */`;
}
