import type { Config } from '../../config';
import { type ConnectionProbe, probeConnection } from '../../db/connection-probe';
import { inOperatorTransaction } from '../../db/operator-transaction';
import { missingServicePrivileges } from '../../db/missing-privileges';
import { readRoleState } from '../../db/role-state';
import { readSchemaState, schemaProblem } from '../../db/schema-state';
import { peppersOf } from '../../development/local-peppers';
import { createOperations } from '../operations';
import {
  type Finding,
  judgeConnection,
  judgeNotifications,
  judgeOwnerRole,
  judgeSameDatabase,
  judgeServiceRole,
  type Purpose,
} from './findings';
import { judgeHttps } from './tls-findings';

/** Where the service and the operator connect to. */
export interface Addresses {
  service: string;
  owner: string;
  notifications: string;
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'no reason given');

async function connect(
  purpose: Purpose,
  address: string,
  isProduction: boolean,
  findings: Finding[],
): Promise<ConnectionProbe | undefined> {
  const setting = purpose === 'service' ? 'DATABASE_URL' : 'DATABASE_OWNER_URL';
  try {
    const probe = await probeConnection(address);
    findings.push({ check: `${purpose}: connection`, status: 'ok', detail: `connected as ${probe.role}` });
    findings.push(...judgeConnection(purpose, probe, isProduction));
    return probe;
  } catch (error) {
    findings.push({
      check: `${purpose}: connection`,
      status: 'problem',
      detail: `no connection (${reasonOf(error)}): look at ${setting}, the network, and whether the server runs`,
    });
    return undefined;
  }
}

/** Everything that needs the schema. Nothing is written. */
async function examineSchema(
  config: Config,
  { owner, service }: Addresses,
  probes: {
    owner: ConnectionProbe;
    service: ConnectionProbe | undefined;
  },
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const problem = await inOperatorTransaction(owner, 'read', async (statements) =>
    schemaProblem(await readSchemaState(statements)),
  );
  findings.push({
    check: 'migrations',
    status: problem === undefined ? 'ok' : 'problem',
    detail: problem ?? 'all are applied',
  });
  if (problem !== undefined) return findings;

  await inOperatorTransaction(owner, 'read', async (statements) => {
    const { excess } = await readRoleState(statements);
    const role = judgeOwnerRole(
      probes.owner,
      excess.some((words) => words.startsWith('owns')),
    );
    findings.push(role);
    // Another role may not read what the next looks read.
    if (role.status === 'problem') return;
    const missing = await missingServicePrivileges(statements);
    findings.push(
      missing.length === 0
        ? { check: 'service: privileges', status: 'ok', detail: 'the service may do what it needs' }
        : {
            check: 'service: privileges',
            status: 'problem',
            detail: `the service's role lacks ${missing.join(', ')}: grant it again as the migrations do`,
          },
    );
    const report = await createOperations(statements, peppersOf(config)).keyRotation.reportPeppers();
    const lacking = report.versions.filter((use) => !use.isConfigured).map((use) => use.version);
    findings.push(
      report.isPepperMissing
        ? {
            check: 'peppers',
            status: 'problem',
            detail: `live pairs need pepper version ${lacking.join(', ')}, which CREDENTIAL_PEPPERS lacks here: add it again (peppers show)`,
          }
        : { check: 'peppers', status: 'ok', detail: 'every live pair has its pepper' },
    );
  });
  if (probes.service) {
    const { excess } = await inOperatorTransaction(service, 'read', readRoleState);
    findings.push(...judgeServiceRole(probes.service, excess));
  }
  return findings;
}

/** Looks at everything that a start, a command or a request could trip over. Changes nothing. */
export async function examine(config: Config, addresses: Addresses): Promise<Finding[]> {
  const isProduction = config.NODE_ENV === 'production';
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
  const service = await connect('service', addresses.service, isProduction, findings);
  const owner = await connect('owner', addresses.owner, isProduction, findings);
  if (service && owner) findings.push(judgeSameDatabase(service, owner));
  if (service) {
    const notifications =
      addresses.notifications === addresses.service
        ? service
        : await probeConnection(addresses.notifications).catch((error: unknown) => {
            findings.push({
              check: 'revocations',
              status: 'problem',
              detail: `no connection (${reasonOf(error)}): look at DATABASE_NOTIFICATIONS_URL`,
            });
          });
    if (notifications) findings.push(judgeNotifications(notifications));
  }
  if (owner) {
    try {
      findings.push(...(await examineSchema(config, addresses, { owner, service })));
    } catch (error) {
      findings.push({
        check: 'schema',
        status: 'problem',
        detail: `it could not be looked at (${reasonOf(error)})`,
      });
    }
  }
  return findings;
}
