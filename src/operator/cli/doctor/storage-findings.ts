import type { ConnectionProbe } from '../../../db/pool/connection-probe';

/** The problem that keeps this connection from writing; undefined if it can write. */
function primaryProblem({ isStandby, isReadOnly }: ConnectionProbe, setting: string): string | undefined {
  if (isStandby) return `this is a standby, which rejects writes: set ${setting} to the primary`;
  if (isReadOnly)
    return 'the sessions are read-only: see ContributionDatabaseReadOnly in docs/operations/alerts.md';
  return undefined;
}

interface StorageFinding {
  check: string;
  status: 'ok' | 'problem';
  detail: string;
}

/**
 * Checks whether the database can store data.
 *
 * @param purpose what the connection is for
 * @param setting the setting of the connection's address
 */
export function judgeStorage(purpose: string, probe: ConnectionProbe, setting: string): StorageFinding[] {
  const primary = primaryProblem(probe, setting);
  return [
    {
      check: `${purpose}: primary`,
      status: primary === undefined ? 'ok' : 'problem',
      detail: primary ?? 'this server is a primary',
    },
    probe.noRoom === undefined
      ? { check: `${purpose}: room`, status: 'ok', detail: 'the database has room' }
      : {
          check: `${purpose}: room`,
          status: 'problem',
          detail: `the database has no room (${probe.noRoom}): see ContributionDatabaseFull in docs/operations/alerts.md`,
        },
  ];
}
