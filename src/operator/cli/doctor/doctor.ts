import { type Config, settingsOf, timeoutsOf } from '../../../read-settings';
import { examineCluster } from '../../../db/cluster';
import { type ConnectionProbe, probeConnection } from '../../../db/pool/connection-probe';
import { inOperatorTransaction, type Queries } from '../../../db/operator-transaction';
import { noteOnPgVariables } from '../../../db/pg-variables';
import { features } from '../../../features';
import { readOperatorRoleState, readRoleState } from '../../../db/roles/role-state';
import { transportOf } from '../../../db/pool/transport';
import { peppersOf, storedKeyOf } from '../../../startup/peppers';
import { createOperations } from '../../commands/operations';
import type { Examined, Finding } from './finding';
import {
  judgeConnection,
  judgeNotifications,
  judgeOperatorRole,
  judgeOwnerRole,
  judgeSameDatabase,
  judgeServiceRole,
  judgeUnchecked,
  type Purpose,
  settingOf,
} from './findings';
import { judgeFrozen } from './frozen-companies';
import { examineFiles, examineManualChanges, examineMigrations } from './schema-findings';
import { judgeDefaults } from './session-findings';
import { judgeHttps } from './tls-findings';

/** These run last. */
const lastChecks = [
  'functions and privileges',
  'peppers',
  'frozen companies',
  ...features.flatMap(({ findings }) => findings?.checks ?? []),
];

/** Connection strings of the service, migrations and the operator's commands. */
export interface Addresses {
  service: string;
  /** Absent on an operator's machine. */
  owner?: string | undefined;
  /** Absent if commands run as the owner. */
  operator?: string | undefined;
  notifications: string;
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'no reason given');

async function connect(
  purpose: Purpose,
  address: string,
  config: Config,
  findings: Finding[],
): Promise<ConnectionProbe | undefined> {
  const setting = settingOf[purpose];
  const requiresEncryption = config.NODE_ENV === 'production' && !config.ALLOW_PLAIN_DATABASE;
  try {
    const probe = await probeConnection(address);
    findings.push({ check: `${purpose}: connection`, status: 'ok', detail: `connected as ${probe.role}` });
    findings.push(...judgeConnection(purpose, probe, transportOf(address), requiresEncryption));
    findings.push(judgeDefaults(purpose, probe, config));
    return probe;
  } catch (error) {
    findings.push({
      check: `${purpose}: connection`,
      status: 'problem',
      detail: `no connection (${reasonOf(error)}): check ${setting}, the network, and whether the server is running.${noteOnPgVariables()}`,
    });
    return undefined;
  }
}

/** All checks that need the schema. Writes nothing. */
async function examineSchema(
  config: Config,
  { owner, operator, service }: Addresses,
  probes: Partial<Record<Purpose, ConnectionProbe | undefined>>,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const reader = probes.owner ? owner : operator;
  if (reader === undefined) return findings;
  const migrations = await inOperatorTransaction(reader, 'read', examineMigrations);
  findings.push(migrations);
  if (migrations.status === 'problem')
    return [...findings, ...(await inOperatorTransaction(reader, 'read', examineManualChanges))];

  const { owner: ownerProbe, service: serviceProbe } = probes;
  if (owner !== undefined && ownerProbe) {
    const { excess } = await inOperatorTransaction(owner, 'read', readRoleState);
    const role = judgeOwnerRole(
      ownerProbe,
      excess.some((words) => words.startsWith('owns')),
    );
    findings.push(role);
    // If the owner's role has a problem, the next checks may lack privileges.
    if (role.status === 'problem') return findings;
  }
  if (operator === undefined || probes.operator) {
    const state = await inOperatorTransaction(operator ?? reader, 'read', readOperatorRoleState);
    const role = judgeOperatorRole(state, {
      isSet: operator !== undefined,
      isEmbedded: config.DATABASE_URL === undefined,
    });
    findings.push(role);
    if (role.status === 'problem') return findings;
  }
  findings.push(await inOperatorTransaction(reader, 'read', examineFiles));
  findings.push(await examineKeys(config, reader));
  if (serviceProbe) {
    const { excess } = await inOperatorTransaction(service, 'read', readRoleState);
    findings.push(...judgeServiceRole(serviceProbe, excess));
    const others = (['owner', 'operator'] as const).flatMap((purpose) => {
      const [address, probe] = [{ owner, operator }[purpose], probes[purpose]];
      return address === undefined || !probe ? [] : [{ purpose, role: probe.role, read: readAs(address) }];
    });
    const cluster = await examineCluster(readAs(service), others, timeoutsOf(config));
    findings.push(...cluster.findings);
    if (!cluster.canContinue) return findings;
  }
  findings.push(await examineCompanies(config, reader));
  const logins = [
    ...(serviceProbe ? [service] : []),
    ...(operator !== undefined && probes.operator ? [operator] : []),
  ];
  return [...findings, ...(await examineFeatures(config, [reader, ...logins]))];
}

const readAs =
  (login: string) =>
  <T>(work: (queries: Queries) => Promise<T>): Promise<T> =>
    inOperatorTransaction(login, 'read', work);

/** Checks for freezes that operators may have forgotten. */
function examineCompanies(config: Config, reader: string): Promise<Finding> {
  return inOperatorTransaction(reader, 'read', async (queries) => {
    const { companiesOverview } = createOperations(queries, peppersOf(config));
    return judgeFrozen(await companiesOverview.list(), new Date());
  });
}

/** Checks the features. */
async function examineFeatures(config: Config, logins: readonly [string, ...string[]]): Promise<Finding[]> {
  const examined: Examined = {
    config,
    storedKey: (name) => storedKeyOf(config, name),
    read: readAs(logins[0]),
    async readWithEachLogin(work) {
      const results = [];
      for (const login of logins) results.push(await readAs(login)(work));
      return results;
    },
  };
  const found: Finding[] = [];
  for (const { findings, settings = {} } of features)
    found.push(...((await findings?.examine(examined, settingsOf(config, settings))) ?? []));
  return found;
}

/** Checks the peppers of live key pairs. */
function examineKeys(config: Config, reader: string): Promise<Finding> {
  return inOperatorTransaction(reader, 'read', async (queries) => {
    const report = await createOperations(queries, peppersOf(config)).keyPairs.reportPeppers();
    const lacking = report.versions.filter((use) => !use.isConfigured).map((use) => use.version);
    return report.isPepperMissing
      ? {
          check: 'peppers',
          status: 'problem',
          detail: `live key pairs need pepper version ${lacking.join(', ')}, which is not in CREDENTIAL_PEPPERS: add it again (see peppers show)`,
        }
      : {
          check: 'peppers',
          status: 'ok',
          detail: 'CREDENTIAL_PEPPERS has the pepper of every live key pair',
        };
  });
}

/** Checks everything that can make startup, a command or a request fail. Changes nothing. */
export async function examine(config: Config, addresses: Addresses): Promise<Finding[]> {
  const findings: Finding[] = [{ check: 'configuration', status: 'ok', detail: 'every setting is valid' }];
  if (config.DATABASE_URL !== undefined && config.CREDENTIAL_PEPPERS === undefined) {
    findings.push({
      check: 'configuration: peppers',
      status: 'warning',
      detail:
        'CREDENTIAL_PEPPERS is not set, so key pairs work only with the pepper of DATA_DIRECTORY on this machine',
    });
  }
  findings.push(...judgeHttps(config));
  const service = await connect('service', addresses.service, config, findings);
  const { owner: ownerUrl, operator: operatorUrl } = addresses;
  const owner = ownerUrl === undefined ? undefined : await connect('owner', ownerUrl, config, findings);
  const operator =
    operatorUrl === undefined ? undefined : await connect('operator', operatorUrl, config, findings);
  if (service && owner) findings.push(judgeSameDatabase(service, owner, 'owner'));
  if (service && operator) findings.push(judgeSameDatabase(service, operator, 'operator'));
  if (service) {
    const notifications =
      addresses.notifications === addresses.service
        ? service
        : await probeConnection(addresses.notifications).catch((error: unknown) => {
            findings.push({
              check: 'revocations',
              status: 'problem',
              detail: `no connection (${reasonOf(error)}): check DATABASE_NOTIFICATIONS_URL.${noteOnPgVariables()}`,
            });
          });
    if (notifications) findings.push(judgeNotifications(notifications));
  }
  if (owner ?? operator) {
    try {
      findings.push(...(await examineSchema(config, addresses, { owner, operator, service })));
    } catch (error) {
      findings.push({
        check: 'schema',
        status: 'problem',
        detail: `the checks of the schema could not run (${reasonOf(error)})`,
      });
    }
  }
  return [...findings, ...judgeUnchecked(findings, lastChecks)];
}
