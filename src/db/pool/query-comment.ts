/** Identifies a query that is not prepared. A prepared statement cannot carry a comment. */
export interface QueryLabel {
  /** A name that is as unique as the name of a prepared statement. */
  readonly name: string;
  /** The request id of the response. */
  readonly requestId: string;
}

/**
 * The SQL comment that shows the request of a query in pg_stat_activity and the server's log. A
 * caller may choose the request id, so it is validated again: it must not end the comment.
 */
export function commentOn({ name, requestId }: QueryLabel): string {
  const id = /^[A-Za-z0-9._-]{1,128}$/.test(requestId) ? requestId : 'unknown';
  return `/* ${name} request_id=${id} */`;
}
