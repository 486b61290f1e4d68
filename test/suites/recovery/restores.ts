import type { Notes } from './incident';
import type { Mark } from './history';
import type { Production } from './production';
import type { Target } from './restore';

/** A restore to test, and the point that it must reach. */
export interface Restore {
  readonly name: 'with-surviving-log' | 'to-the-end' | 'to-a-point' | 'to-a-time';
  readonly what: string;
  readonly target: Target;
  readonly mark: Mark;
  /** The folders of log segments, the archive first. */
  readonly logs: readonly string[];
}

/** The restores to test after the loss of a server, from the latest target to the earliest. */
export async function restoresAfter(production: Production, notes: Notes): Promise<Restore[]> {
  const { time, restorePoint, observations, survivingLog } = notes;
  const { archive } = production;
  const segments = await production.segments();
  const lastSegment = segments.at(-1) ?? '';
  const archived = observations.findLast(({ segment }) => segment <= lastSegment);
  if (archived === undefined) throw new Error('no segment was archived after the points');
  return [
    {
      name: 'with-surviving-log',
      what: "to the end of the archive and of the lost server's pg_wal",
      target: undefined,
      mark: { before: Infinity, after: Infinity },
      logs: [archive, survivingLog],
    },
    {
      name: 'to-the-end',
      what: `to the end of the archive (${segments.length} segments)`,
      target: undefined,
      // Everything before an archived segment must be restored; later changes may be lost.
      mark: { before: archived.mark.before, after: Infinity },
      logs: [archive],
    },
    {
      name: 'to-a-point',
      what: `to the restore point '${restorePoint.name}'`,
      target: { recovery_target_name: restorePoint.name },
      mark: restorePoint.mark,
      logs: [archive],
    },
    {
      name: 'to-a-time',
      what: `to the time ${time.name}`,
      target: { recovery_target_time: time.name },
      mark: time.mark,
      logs: [archive],
    },
  ];
}
