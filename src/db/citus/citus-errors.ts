import { DatabaseError as PostgresError } from 'pg';

/*
 * Errors of a worker, as the coordinator of a Citus cluster reports them. The coordinator sends no
 * `constraint` field, so only the message contains the name. The messages are English if
 * lc_messages is C on every node, which startup and `doctor` check.
 */

/** The messages of PostgreSQL's errcodes 23xxx for a table or a shard. */
const violations = [
  /^duplicate key value violates unique constraint "([^"]+)"/,
  /^new row for relation "[^"]+" violates check constraint "([^"]+)"/,
  /violates foreign key constraint "([^"]+)"/,
];

/**
 * Citus appends the shard's number to the name of each constraint. None of our names ends like
 * this.
 */
const shardSuffix = /_\d{6,}$/;

/**
 * The violated constraint, by its name in the schema. Undefined for other errors.
 *
 * @param error of severity ERROR, from PostgreSQL or from a coordinator
 */
export function violatedConstraint(error: PostgresError): string | undefined {
  const { code = '', constraint, message } = error;
  if (constraint !== undefined && code.startsWith('23')) return constraint.replace(shardSuffix, '');
  // The coordinator sometimes replaces the code by XX000, internal_error.
  if (!/^(23|XX000)/.test(code)) return undefined;
  for (const violation of violations) {
    const name = violation.exec(message)?.[1];
    if (name !== undefined) return name.replace(shardSuffix, '');
  }
  return undefined;
}

/** The coordinator lost, or never had, the connection to a worker. */
const lostWorker = /^connection to the remote node .* failed with the following error: ([\s\S]*)/;

/** The messages of libpq for a connection that was never made, so nothing was sent. */
const neverConnected =
  /^(?!.*(could not (receive|send)|closed the connection)).*(refused|timeout expired|timed out|no route to host|network is unreachable|could not translate|could not connect|is starting up|is shutting down|in recovery mode|not (yet )?accepting connections)/is;
/** The messages of a server that rejected the connection, and of libpq without a password. */
const rejectedConnection =
  /too many (clients|connections)|connection slots are reserved|no pg_hba\.conf entry|pg_hba\.conf rejects|authentication failed|fe_sendauth|not permitted to log in|(role|database) ".*" does not exist/i;

const wasNotSent = (reason: string): boolean =>
  neverConnected.test(reason) || rejectedConnection.test(reason);

/** The coordinator lost the worker at the end of a transaction, which may be committed. */
const lostDuringCommit =
  /^(failure on connection marked as essential|could not commit transaction (for|on) )/;

/** The warning about a worker that did not confirm its part of a commit. */
const unfinishedCommit = /^failed to commit transaction on (.+)$/;

/** Describes a commit that ended with warnings. */
export function describeWarnings(warnings: readonly string[]): string {
  const workers = warnings.flatMap((warning) => unfinishedCommit.exec(warning)?.[1] ?? []);
  return workers.length === 0
    ? 'committed, but not replicated'
    : `committed, but not yet on ${workers.join(', ')}, where the coordinator finishes the commit`;
}

/** PostgreSQL ended the worker's session: admin_shutdown, crash_shutdown. */
const endedSession = new Set(['57P01', '57P02']);

/**
 * The outcome of a query after the loss of a worker: `nothing` if the coordinator could not
 * connect to it, and `unknown` if the connection broke later. Undefined for other errors.
 *
 * @param error of severity ERROR: the coordinator itself works
 */
export function outcomeOfLostWorker(error: PostgresError): 'nothing' | 'unknown' | undefined {
  const [, reason] = lostWorker.exec(error.message) ?? [];
  if (reason !== undefined) return wasNotSent(reason) ? 'nothing' : 'unknown';
  return endedSession.has(error.code ?? '') || lostDuringCommit.test(error.message) ? 'unknown' : undefined;
}

/** The coordinator could not connect to a worker. Its connection to the service is fine. */
export const isOfUnreachableWorker = (error: unknown): boolean =>
  error instanceof PostgresError && error.severity === 'ERROR' && outcomeOfLostWorker(error) === 'nothing';

/** Errors of a worker that got a query for a shard that has just moved to another worker. */
const movedShard = [
  // A delegated function runs where the shard was, and its queries would go to another node.
  /^cannot execute a distributed query from a query on a shard/,
  // The worker was removed after its last shard had moved.
  /^there is a shard placement in node group \d+ but there are no nodes in that group/,
];

/**
 * One function inserts a contribution and then its event. If the shards move in between, the
 * foreign key of the event fails.
 */
const movedBetween = /violates foreign key constraint "events_transaction_fkey_\d{6,}"/;

/**
 * Whether the shard moved while the query ran. The query changed nothing, and the next
 * attempt goes to the right worker.
 */
export function isOfMovedShard({ code, message }: PostgresError): boolean {
  if (code === '23503') return movedBetween.test(message);
  return code === 'XX000' && movedShard.some((words) => words.test(message));
}
