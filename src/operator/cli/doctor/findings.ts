import type { ConnectionProbe } from '../../../db/pool/connection-probe';
import { type OperatorRoleState, operatorRoleProblem } from '../../../db/roles/role-state';
import { operatorRole, ownerRole, serviceRole } from '../../../db/roles/roles';
import { type Finding, finding } from './finding';
import { judgeStorage } from './storage-findings';
import type { Transport } from '../../../db/pool/transport';

export type Purpose = 'service' | 'owner' | 'operator';

export const settingOf: Readonly<Record<Purpose, string>> = {
  service: 'DATABASE_URL',
  owner: 'DATABASE_OWNER_URL',
  operator: 'DATABASE_OPERATOR_URL',
};

const oldestVersion = 150_000;
const clockWarningMs = 1_000;
const clockProblemMs = 5_000;

/**
 * Checks one connection on its own.
 *
 * @param transport how pg connects, according to the connection string
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
  // Ignores differences within the uncertainty of the measurement.
  const difference = Math.max(0, Math.abs(probe.clockAheadMs) - probe.clockUncertaintyMs);
  const clock = `the clock of the database is ${Math.abs(ahead)} ms ${ahead < 0 ? 'behind' : 'ahead of'} this machine's`;
  const version = `PostgreSQL ${Math.floor(probe.serverVersion / 10_000)}`;
  return [
    probe.serverVersion >= oldestVersion
      ? finding(check('version'), 'ok', version)
      : finding(check('version'), 'problem', `${version} is too old: PostgreSQL 15 or newer is required`),
    ...judgeStorage(purpose, probe, setting),
    difference > clockProblemMs
      ? finding(check('clock'), 'problem', `${clock}: synchronize both with NTP`)
      : difference > clockWarningMs
        ? finding(check('clock'), 'warning', `${clock}: synchronize both with NTP`)
        : finding(check('clock'), 'ok', clock),
    probe.isEncrypted
      ? transport === 'encrypted'
        ? finding(
            check('tls'),
            'warning',
            `the connection is encrypted, but the server's certificate is not verified: set sslmode=verify-full in ${setting}`,
          )
        : finding(check('tls'), 'ok', 'the connection is encrypted')
      : probe.isLocal
        ? finding(check('tls'), 'ok', 'the connection is not encrypted, but does not leave this machine')
        : finding(
            check('tls'),
            requiresEncryption ? 'problem' : 'warning',
            `the connection is not encrypted and leaves this machine: add ?sslmode=verify-full to ${setting}, and require TLS on the server (hostssl)`,
          ),
  ];
}

/** Reports privileges that the service's role must not have. */
export function judgeServiceRole(probe: ConnectionProbe, excess: readonly string[]): Finding[] {
  const findings = [
    excess.length === 0
      ? finding('service: role', 'ok', `${probe.role} has no excessive privileges`)
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
        `${probe.role} can create temporary tables, which could hide the schema's tables: run REVOKE TEMPORARY ON DATABASE … FROM PUBLIC`,
      ),
    );
  }
  return findings;
}

/** Whether the owner's role can run migrations. */
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

/** Whether the login can run commands but cannot change the audit log. */
export function judgeOperatorRole(
  state: OperatorRoleState,
  { isSet, isEmbedded }: { isSet: boolean; isEmbedded: boolean },
): Finding {
  const check = 'operator: role';
  if (isEmbedded) return finding(check, 'ok', 'the commands run as the owner of the embedded database');
  const problem = operatorRoleProblem(state);
  if (problem !== undefined) return finding(check, isSet && !state.isGroup ? 'problem' : 'warning', problem);
  return state.isMember
    ? finding(check, 'ok', `commands are recorded as ${state.login}, which cannot change the audit log`)
    : finding(
        check,
        'problem',
        `${state.login} cannot run the commands: run GRANT ${operatorRole} TO ${state.login}`,
      );
}

/** Checks that all connection strings name the same database. */
export function judgeSameDatabase(
  service: ConnectionProbe,
  other: ConnectionProbe,
  purpose: Exclude<Purpose, 'service'>,
): Finding {
  const check = `${purpose}: same database`;
  const both = `DATABASE_URL and ${settingOf[purpose]}`;
  return service.databaseIdentity === other.databaseIdentity
    ? finding(check, 'ok', `${both} name the same database`)
    : finding(check, 'problem', `${both} name different databases: set both to the same one`);
}

/**
 * Names the checks that an earlier problem prevented.
 *
 * @param last the checks that run last: they need the migrated schema, a valid role and all nodes
 */
export function judgeUnchecked(findings: readonly Finding[], last: readonly string[]): Finding[] {
  const done = new Set(findings.map(({ check }) => check));
  return last
    .filter((check) => !done.has(check))
    .map((check) => finding(check, 'warning', 'not checked: solve the problems above, and run doctor again'));
}

/** Checks that the connection is direct, which notifications of revocations need. */
export function judgeNotifications(probe: ConnectionProbe): Finding {
  return probe.isPooled
    ? finding(
        'revocations',
        'warning',
        'the connection goes through a pooler, so revocations take up to one second: set DATABASE_NOTIFICATIONS_URL to a direct connection',
      )
    : finding('revocations', 'ok', 'processes are notified of revocations immediately');
}
