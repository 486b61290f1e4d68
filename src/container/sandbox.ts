import type { Config } from '../config';
import type { PooledDatabase } from '../db/pool/database';
import type { OnTestRequest } from '../http/request/request-context';
import type { Metrics } from '../metrics/metrics';
import type { ContributionsService } from '../modules/contributions/contributions.service';
import type { ContributionsStore } from '../modules/contributions/contributions.store';
import type { ProjectsService } from '../modules/projects/projects.service';
import { createFaultsService, type FaultsService } from '../modules/sandbox/faults.service';
import { createFaultsStore } from '../modules/sandbox/faults.store';
import { createRequestLog } from '../modules/sandbox/request-log';
import { loggedRequest } from '../modules/sandbox/logged-request';
import { requestsContract } from '../modules/sandbox/requests.contract';
import { createRequestsStore } from '../modules/sandbox/requests.store';
import { createResetsService, type ResetsService } from '../modules/sandbox/resets.service';
import { createResetsStore } from '../modules/sandbox/resets.store';
import { createSandboxService, type SandboxService } from '../modules/sandbox/sandbox.service';
import { createSandboxSettingsStore } from '../modules/sandbox/sandbox-settings.store';
import { createSettlementsStore } from '../modules/sandbox/settlements.store';
import { createSimulatedBank, type SimulatedBank } from '../modules/sandbox/simulated-bank';
import type { KeyPairCache } from '../modules/key-pairs/key-pair-cache';
import { systemClock } from '../shared/clock';
import type { Logger } from '../shared/logger';

const sweepIntervalMs = 5_000;
const requestLogIntervalMs = 1_000;

/** Builds the bank that completes the contributions of test environments. */
export function createSandboxBank(
  database: PooledDatabase,
  contributions: Pick<ContributionsStore, 'completeAsSimulatedBank'>,
  metrics: Pick<Metrics, 'sandbox'>,
  logger: Logger,
): SimulatedBank {
  return createSimulatedBank({
    store: createSettlementsStore(database),
    contributions,
    clock: systemClock,
    logger,
    onAttempt: metrics.sandbox.onAttempt,
    sweepIntervalMs,
  });
}

export function createSandbox(
  database: PooledDatabase,
  simulatedBank: SimulatedBank,
  contributions: Pick<ContributionsService, 'get'>,
): SandboxService {
  return createSandboxService({
    settings: createSandboxSettingsStore(database),
    settlements: createSettlementsStore(database),
    simulatedBank,
    contributions,
  });
}

export function createResets(
  config: Pick<Config, 'SANDBOX_RESETS_PER_DAY'>,
  database: PooledDatabase,
  simulatedBank: Pick<SimulatedBank, 'look'>,
  contributions: Pick<ContributionsService, 'create'>,
  projects: Pick<ProjectsService, 'list'>,
  keyPairs: Pick<KeyPairCache, 'forget'>,
): ResetsService {
  return createResetsService({
    store: createResetsStore(database),
    settings: createSandboxSettingsStore(database),
    simulatedBank,
    contributions,
    projects,
    forgetKeyPair: (apiKey) => {
      keyPairs.forget(apiKey);
    },
    mostPerDay: config.SANDBOX_RESETS_PER_DAY,
  });
}

export function createFaults(
  database: PooledDatabase,
  keyPairs: Pick<KeyPairCache, 'forget'>,
): FaultsService {
  return createFaultsService(createFaultsStore(database), (apiKey) => {
    keyPairs.forget(apiKey);
  });
}

/** Notifies the simulated bank of new contributions, so that it does not have to poll. */
export function tellingOfCreates(
  store: ContributionsStore,
  simulatedBank: SimulatedBank,
): ContributionsStore {
  return {
    ...store,
    async create(principal, contribution) {
      const outcome = await store.create(principal, contribution);
      if (outcome.kind === 'created') simulatedBank.noteCreate(principal.environmentId);
      return outcome;
    },
  };
}

export interface SandboxRequestLog {
  /** Undefined if the log is off. */
  onTestRequest: OnTestRequest | undefined;
  /** Writes the requests that were collected. */
  stop: () => Promise<void>;
}

/** Logs the requests of test environments, except reads of this log. */
export function createSandboxRequestLog(
  config: Pick<Config, 'SANDBOX_REQUEST_LOG'>,
  database: PooledDatabase,
  metrics: Pick<Metrics, 'sandbox'>,
  logger: Logger,
  intervalMs = requestLogIntervalMs,
): SandboxRequestLog {
  if (!config.SANDBOX_REQUEST_LOG) return { onTestRequest: undefined, stop: () => Promise.resolve() };
  const log = createRequestLog({
    store: createRequestsStore(database),
    logger,
    onOutcome: metrics.sandbox.onLoggedRequests,
    intervalMs,
  });
  return {
    onTestRequest(request, req, context) {
      const { operationId } = context;
      if (operationId === requestsContract.list.operationId) return;
      // Skip the pages of the documentation.
      if (operationId === undefined && request.errorCode === undefined) return;
      log.add(request.principal.environmentId, () => loggedRequest(request, req, context, systemClock.now()));
    },
    stop: () => log.stop(),
  };
}
