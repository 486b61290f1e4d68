import type { ConnectionProbe } from '../../../db/pool/connection-probe';
import { type OperatorRoleState, operatorRoleProblem } from '../../../db/roles/role-state';
import type { WebhookKeys } from '../../../modules/webhooks/webhook-secrets';
import type { WaitingForPurge } from '../../../modules/sandbox/retired-environments.store';
import type { FeedState, QueueBlockers } from './feed-state';
import { operatorRole, ownerRole, serviceRole } from '../../../db/roles/roles';
import { judgeStorage } from './storage-findings';
import type { Transport } from '../../../db/pool/transport';

export interface Finding {
  check: string;
  status: 'ok' | 'warning' | 'problem';
  /** The result, and advice unless the status is ok. */
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

export const longestFeedLagSeconds = 30;

/** Checks whether the relay keeps up, and what keeps its queue from shrinking. */
export function judgeFeed(
  { lagSeconds }: Pick<FeedState, 'lagSeconds'>,
  { oldTransactions, lockHolders, hidden }: QueueBlockers,
): Finding {
  const check = 'event feeds';
  if (lockHolders.length > 0) {
    return finding(
      check,
      'warning',
      `a run of the relay, or a session with its lock, has blocked the event queue for a minute: ${lockHolders.join(', ')}`,
    );
  }
  if (lagSeconds > longestFeedLagSeconds) {
    const late = `the feeds are ${Math.round(lagSeconds)} s behind`;
    const advice = [
      oldTransactions.length === 0
        ? late
        : `${late}, and these open transactions may block them: ${oldTransactions.join(', ')}. End each with SELECT pg_terminate_backend(pid), unless it is a backup`,
      'If no process has DELIVERY=on, set it in one, or run npm run deliver',
      'Read the log of that process',
      ...(hidden.length === 0
        ? []
        : ['Transactions of other roles are not visible: GRANT pg_monitor to this login to check them']),
    ];
    return finding(check, 'warning', advice.join('. '));
  }
  return oldTransactions.length > 0
    ? finding(
        check,
        'warning',
        `a transaction has been open for ten minutes and slows the relay down: ${oldTransactions.join(', ')}`,
      )
    : finding(check, 'ok', 'no event is late');
}

/** Whether partners receive their webhooks. */
export function judgeWebhooks({
  failingEndpoints,
  unverifiedEndpoints,
  lateEndpoints,
}: Pick<FeedState, 'failingEndpoints' | 'unverifiedEndpoints' | 'lateEndpoints'>): Finding {
  const check = 'webhook endpoints';
  const problems = [
    ...(failingEndpoints === 0
      ? []
      : [
          `${failingEndpoints === 1 ? '1 endpoint fails' : `${failingEndpoints} endpoints fail`}: tell the partners of webhooks list --failing. webhooks enable ENDPOINT_ID retries an endpoint now`,
        ]),
    ...(unverifiedEndpoints === 0
      ? []
      : [
          `${unverifiedEndpoints === 1 ? '1 endpoint is unverified and has' : `${unverifiedEndpoints} endpoints are unverified and have`} waiting events: see webhooks list, and tell the partners to ping them`,
        ]),
    ...(lateEndpoints.length === 0
      ? []
      : [`these are more than a minute late: ${lateEndpoints.join(', ')}. See why with webhooks show`]),
  ];
  return problems.length === 0
    ? finding(check, 'ok', 'none is failing or late, and none waits for a ping')
    : finding(check, 'warning', problems.join('. '));
}

/**
 * Whether the secrets of the endpoints can sign.
 *
 * @param keys undefined if webhooks are disabled
 */
export function judgeWebhookKeys(
  keys: WebhookKeys | undefined,
  { webhookKeyVersions }: Pick<FeedState, 'webhookKeyVersions'>,
): Finding {
  const check = 'webhook keys';
  if (keys === undefined)
    return finding(check, 'warning', 'WEBHOOK_SECRET_KEYS is not set, so no webhook is delivered');
  const lacking = webhookKeyVersions.filter((version) => !keys.has(version));
  return lacking.length === 0
    ? finding(check, 'ok', 'WEBHOOK_SECRET_KEYS has the key of every enabled endpoint')
    : finding(
        check,
        'problem',
        `enabled endpoints need key version ${lacking.join(', ')}, which is not in WEBHOOK_SECRET_KEYS: add it again, or let the partners rotate their secrets`,
      );
}

/** Whether replays make progress. */
export function judgeReplays({ stuckReplays }: Pick<FeedState, 'stuckReplays'>): Finding {
  const check = 'webhook replays';
  return stuckReplays.length === 0
    ? finding(check, 'ok', 'none is stuck')
    : finding(
        check,
        'warning',
        `these have sent nothing for an hour: ${stuckReplays.join('; ')}. See alerts.md, ContributionReplayStuck`,
      );
}

/** Reports the test environments that resets retired and that an operator can purge. */
export function judgeRetired({ count, oldestRetiredAt }: WaitingForPurge): Finding {
  const check = 'retired test environments';
  if (oldestRetiredAt === null) return finding(check, 'ok', 'none was retired more than 7 days ago');
  const since = oldestRetiredAt.toISOString().slice(0, 10);
  return finding(
    check,
    'warning',
    `${count === 1 ? '1 was' : `${count} were`} retired more than 7 days ago, the oldest on ${since}: run sandbox purge to delete their data`,
  );
}

/** The checks that run last, because they need the migrated schema, a valid role and all nodes. */
const lastChecks = [
  ...[
    'functions and privileges',
    'peppers',
    'event feeds',
    'failed events',
    'webhook endpoints',
    'webhook keys',
    'webhook replays',
  ],
  'bank statements',
  'frozen companies',
  'retired test environments',
];

/** Names the checks that an earlier problem prevented. */
export function judgeUnchecked(findings: readonly Finding[]): Finding[] {
  const done = new Set(findings.map(({ check }) => check));
  return lastChecks
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
