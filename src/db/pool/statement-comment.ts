/** By what a text is known that PostgreSQL parses anew each time, and so may say whom it is for. */
export interface AboutStatement {
  /** As unique as the name of a prepared statement. */
  readonly name: string;
  /** Of the request, as its answer has it. */
  readonly requestId: string;
}

/**
 * The comment by which pg_stat_activity and the server's log show whom a statement is for. A caller
 * may choose the id, so it is looked at here once more: nothing of a caller's may end a comment.
 */
export function commentOn({ name, requestId }: AboutStatement): string {
  const id = /^[A-Za-z0-9._-]{1,128}$/.test(requestId) ? requestId : 'unknown';
  return `/* ${name} request_id=${id} */`;
}
