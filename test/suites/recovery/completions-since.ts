import type { PostgresServer } from '../faults/postgres/postgres-server';
import type { Contribution, Mark } from './history';
import { operate } from './service';

/**
 * The operator's list for banks after a restore to a point: the completions since then, from a copy
 * that was restored further.
 *
 * @param time as PostgreSQL writes it, in UTC
 * @returns transaction_ids
 */
export async function completionsSince(server: PostgresServer, time: string): Promise<Set<string>> {
  // Truncated to milliseconds, which is earlier.
  const since = new Date(time.replace(' ', 'T').replace(/\+00$/, 'Z')).toISOString();
  const words = ['--from', since, '--type', 'completed', '--limit', '100000', '--json'];
  const { exitCode, output } = await operate(server, 'operator/cli/main.js', 'events', 'list', ...words);
  if (exitCode !== 0) throw new Error(`events list ended with ${exitCode}: ${output}`);
  const { events } = JSON.parse(output) as { events: { transaction_id: string }[] };
  return new Set(events.map((event) => event.transaction_id));
}

/**
 * Completions after the point that a restored copy lacks and that the list omits, although the copy
 * behind the list has them.
 */
export function omitted(
  missing: readonly Contribution[],
  {
    listed,
    notInCopy,
    mark,
  }: { listed: ReadonlySet<string>; notInCopy: readonly Contribution[]; mark: Mark },
): string[] {
  const unknown = new Set(notInCopy);
  return missing
    .filter((contribution) => (contribution.completion?.sent ?? 0) > mark.after && !unknown.has(contribution))
    .flatMap(({ transactionId = '' }) =>
      listed.has(transactionId) ? [] : [`the completion of ${transactionId} is not in the list`],
    );
}
