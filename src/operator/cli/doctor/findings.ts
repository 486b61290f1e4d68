import type { ConnectionProbe } from '../../../db/pool/connection-probe';
import { type OperatorRoleState, operatorRoleProblem } from '../../../db/roles/role-state';
import { operatorRole, ownerRole, serviceRole } from '../../../db/roles/roles';
import type { Transport } from '../../../db/pool/transport';

export interface Finding {
  check: string;
  status: 'ok' | 'warning' | 'problem';
  /** What is so, and what to do unless it is ok. */
  detail: string;
}

export type Purpose = 'service' | 'owner' | 'operator';

export const settingOf: Readonly<Record<Purpose, string>> = {
  service: 'DATABASE_URL',
  owner: 'DATABASE_OWNER_URL',
  operator: 'DATABASE_OPERATOR_URL',
};

const oldestVersion = 150_000;
const clockWarningMs = 1_000;
const clockProblemMs = 5_000;

const finding = (check: string, status: Finding['status'], detail: string): Finding => ({
  check,
  status,
  detail,
});

/**
 * What one connection shows by itself.
 *
 * @param transport how pg connects, by the address
 * @param requiresEncryption whether startup rejects an unencrypted connection that leaves this
 *   machine
 */
export function judgeConnection(
  purpose: Purpose,
  probe: ConnectionProbe,
  transport: Transport,
  requiresEncryption: boolean,
): Finding[] {
  const setting = settingOf[purpose];
  const check = (name: string): string => `${purpose}: ${name}`;
  const ahead = Math.round(probe.clockAheadMs);
  // What the readings cannot tell apart is not held against the clock.
  const difference = Math.max(0, Math.abs(probe.clockAheadMs) - probe.clockUncertaintyMs);
  const clock = `the clock of the database is ${Math.abs(ahead)} ms ${ahead < 0 ? 'behind' : 'ahead of'} this machine's`;
  const version = `PostgreSQL ${Math.floor(probe.serverVersion / 10_000)}`;
  return [
    probe.serverVersion >= oldestVersion
      ? finding(check('version'), 'ok', version)
      : finding(check('version'), 'problem', `${version}; 15 or newer is needed`),
    probe.isStandby
      ? finding(
          check('primary'),
          'problem',
          `this is a standby, which refuses writes: ${setting} must lead to the primary`,
        )
      : finding(check('primary'), 'ok', 'this server takes writes'),
    difference > clockProblemMs
      ? finding(check('clock'), 'problem', `${clock}: set both by NTP`)
      : difference > clockWarningMs
        ? finding(check('clock'), 'warning', `${clock}: set both by NTP`)
        : finding(check('clock'), 'ok', clock),
    probe.isEncrypted
      ? transport === 'encrypted'
        ? finding(
            check('tls'),
            'warning',
            `the connection is encrypted, but the certificate of the server is not verified: set sslmode=verify-full in ${setting}`,
          )
        : finding(check('tls'), 'ok', 'the connection is encrypted')
      : probe.isLocal
        ? finding(check('tls'), 'ok', 'the connection is not encrypted, and does not leave this machine')
        : finding(
            check('tls'),
            requiresEncryption ? 'problem' : 'warning',
            `the connection is not encrypted and leaves this machine: add ?sslmode=verify-full to ${setting}, and let the server demand it (hostssl)`,
          ),
  ];
}

/** What the service's role must not be able to do. */
export function judgeServiceRole(probe: ConnectionProbe, excess: readonly string[]): Finding[] {
  const findings = [
    excess.length === 0
      ? finding('service: role', 'ok', `${probe.role} may change no money`)
      : finding(
          'service: role',
          'problem',
          `${probe.role} ${excess.join(' and ')}: let the service log in as ${serviceRole}`,
        ),
  ];
  if (probe.mayCreateTemporaryTables && excess.length === 0) {
    findings.push(
      finding(
        'service: temporary tables',
        'warning',
        `${probe.role} may make temporary tables, which could hide the schema's own: REVOKE TEMPORARY ON DATABASE … FROM PUBLIC`,
      ),
    );
  }
  return findings;
}

/** Whether the owner's role can do what migrations do. */
export function judgeOwnerRole(probe: ConnectionProbe, ownsTables: boolean): Finding {
  if (probe.isSuperuser) {
    return finding(
      'owner: role',
      'warning',
      `${probe.role} is a superuser: a role that owns only this database, such as ${ownerRole}, is enough`,
    );
  }
  return ownsTables
    ? finding('owner: role', 'ok', `${probe.role} owns the tables`)
    : finding(
        'owner: role',
        'problem',
        `${probe.role} does not own the tables: set DATABASE_OWNER_URL to the role that does, such as ${ownerRole}`,
      );
}

/** Whether the audit record says truly who ran a command, and whether the login may run it. */
export function judgeOperatorRole(
  state: OperatorRoleState,
  { isSet, isEmbedded }: { isSet: boolean; isEmbedded: boolean },
): Finding {
  const check = 'operator: role';
  if (isEmbedded) return finding(check, 'ok', 'the commands run as the owner of the embedded database');
  const problem = operatorRoleProblem(state);
  if (problem !== undefined) return finding(check, isSet && !state.isGroup ? 'problem' : 'warning', problem);
  return state.isMember
    ? finding(check, 'ok', `commands are recorded as ${state.login}, who cannot change the record`)
    : finding(
        check,
        'problem',
        `${state.login} may not run the commands: GRANT ${operatorRole} TO ${state.login}`,
      );
}

/** Every address must lead to one and the same database. */
export function judgeSameDatabase(
  service: ConnectionProbe,
  other: ConnectionProbe,
  purpose: Exclude<Purpose, 'service'>,
): Finding {
  const check = `${purpose}: same database`;
  const both = `DATABASE_URL and ${settingOf[purpose]}`;
  return service.databaseIdentity === other.databaseIdentity
    ? finding(check, 'ok', `${both} lead to the same database`)
    : finding(check, 'problem', `${both} lead to different databases: make them one`);
}

/** Revocations are heard over a direct connection only. */
export function judgeNotifications(probe: ConnectionProbe): Finding {
  return probe.isPooled
    ? finding(
        'revocations',
        'warning',
        'a pooler is in between, so revocations take up to one second: set DATABASE_NOTIFICATIONS_URL to the server itself',
      )
    : finding('revocations', 'ok', 'processes hear of revocations at once');
}
