import type { FaultKind } from './kind';
import { migrated } from './migration-fault';
import { connectionsCut, connectionsFrozen, databaseSlow } from './network-faults';
import { clientsNeverRead } from './never-reading-clients';
import {
  connectionsTerminated,
  diskFull,
  postgresKilled,
  postgresProcessKilled,
  postgresRestarted,
  rowsLocked,
  statementsCancelled,
} from './postgres-faults';
import { failover, failoverAfterLoss, standbyLost } from './replication-faults';
import {
  clockStepped,
  deliveryKilled,
  deliveryKilledBeforeResponse,
  deliveryKilledBeforeQuery,
  deliveryTerminated,
  serviceKilled,
  serviceKilledBeforeResponse,
  serviceKilledBeforeQuery,
  serviceTerminated,
} from './service-faults';

/** Every kind of fault. Seeds depend on the order. */
export const faultKinds: readonly FaultKind[] = [
  serviceKilled,
  serviceKilledBeforeQuery,
  serviceKilledBeforeResponse,
  serviceTerminated,
  clockStepped,
  postgresKilled,
  postgresProcessKilled,
  postgresRestarted,
  connectionsTerminated,
  statementsCancelled,
  rowsLocked,
  diskFull,
  migrated,
  standbyLost,
  failover,
  failoverAfterLoss,
  connectionsCut('client'),
  connectionsFrozen('client', 'requests'),
  connectionsFrozen('client', 'responses'),
  connectionsCut('database'),
  connectionsFrozen('database', 'requests'),
  connectionsFrozen('database', 'responses'),
  databaseSlow,
  clientsNeverRead,
  deliveryKilled,
  deliveryKilledBeforeQuery,
  deliveryKilledBeforeResponse,
  deliveryTerminated,
];
