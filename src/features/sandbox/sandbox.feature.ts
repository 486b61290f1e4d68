import type { Core, Feature, ServedFeature, ServiceProcess } from '../../feature';
import { sandboxCommand } from './cli/sandbox.command';
import { sandboxFindings } from './sandbox.findings';
import type { EndpointContract } from '../../http/contract';
import type { OnTestRequest } from '../../http/request/request-records';
import { createSandboxMetrics, type SandboxMetrics } from './sandbox.metrics';
import { systemClock } from '../../shared/clock';
import { faultsContract } from './faults.contract';
import { faultsRoutes } from './faults.router';
import { createFaultsService } from './faults.service';
import { createFaultsStore } from './faults.store';
import { listForms } from './logged-forms';
import { loggedRequest } from './logged-request';
import { createRequestLog } from './request-log';
import { requestsContract } from './requests.contract';
import { requestsRoutes } from './requests.router';
import { createRequestsStore } from './requests.store';
import { createResetsService } from './resets.service';
import { createResetsStore } from './resets.store';
import { sandboxContract } from './sandbox.contract';
import { sandboxRoutes } from './sandbox.router';
import { sandboxErrors } from './sandbox.errors';
import { type SandboxSettings, sandboxSettings } from './sandbox.settings';
import { createSandboxService } from './sandbox.service';
import { createSandboxSettingsStore } from './sandbox-settings.store';
import { createSettlementsStore } from './settlements.store';
import { createSimulatedBank } from './simulated-bank';
import { sandboxScopes } from './sandbox.scopes';

const requestLogIntervalMs = 1_000;

/** Logs the requests of test environments, except reads of this log. */
function startLog(
  { database, logger, pollMs }: ServiceProcess,
  metrics: SandboxMetrics,
  contracts: readonly EndpointContract[],
): { onTestRequest: OnTestRequest; stop: () => Promise<void> } {
  const log = createRequestLog({
    store: createRequestsStore(database),
    logger,
    onOutcome: metrics.onLoggedRequests,
    intervalMs: pollMs ?? requestLogIntervalMs,
  });
  const forms = listForms(contracts);
  return {
    onTestRequest(request, context) {
      const operationId = context.operation?.contract.operationId;
      if (operationId === requestsContract.list.operationId) return;
      // Skip the pages of the documentation.
      if (operationId === undefined && request.errorCode === undefined) return;
      log.add(request.principal.environmentId, () =>
        loggedRequest(request, context, systemClock.now(), forms),
      );
    },
    stop: () => log.stop(),
  };
}

function serve(
  process: ServiceProcess,
  { SANDBOX_REQUEST_LOG, SANDBOX_RESETS_PER_DAY }: SandboxSettings,
  core: Core,
  metrics: SandboxMetrics,
): ServedFeature {
  const { database, logger } = process;
  const { contributions, contributionsStore, projects, forgetKeyPair } = core;
  const settings = createSandboxSettingsStore(database);
  const settlements = createSettlementsStore(database);
  const simulatedBank = createSimulatedBank({
    store: settlements,
    contributions: contributionsStore,
    clock: systemClock,
    logger,
    onAttempt: metrics.onAttempt,
    pollMs: process.pollMs,
  });
  const log = SANDBOX_REQUEST_LOG ? startLog(process, metrics, core.listContracts()) : undefined;
  const faults = createFaultsService(createFaultsStore(database), forgetKeyPair);
  return {
    routes(routes) {
      const sandbox = createSandboxService({ settings, settlements, simulatedBank, contributions });
      const resets = createResetsService({
        store: createResetsStore(database),
        settings,
        simulatedBank,
        contributions,
        projects,
        forgetKeyPair,
        mostPerDay: SANDBOX_RESETS_PER_DAY,
      });
      sandboxRoutes(routes, sandbox, resets);
      requestsRoutes(routes, createRequestsStore(database));
      faultsRoutes(routes, faultsContract(routes.contracts), faults);
    },
    faults: { take: faults.take, onFault: metrics.onFault },
    onTestRequest: log?.onTestRequest,
    stop: () => Promise.all([simulatedBank.stop(), log?.stop()]),
  };
}

/** The simulated bank, the faults, the request log and the reset of test environments. */
export const sandboxFeature: Feature<typeof sandboxSettings> = {
  name: 'sandbox',
  scopes: sandboxScopes,
  errors: sandboxErrors,
  contracts(earlier) {
    const own = [...Object.values(sandboxContract), ...Object.values(requestsContract)];
    return [...own, ...Object.values(faultsContract([...earlier, ...own]))];
  },
  findings: sandboxFindings,
  commands: [{ before: 'webhooks', create: sandboxCommand }],
  settings: sandboxSettings,
  create(process, settings) {
    const metrics = createSandboxMetrics(process.metrics);
    process.signals.faultInjected.listen(metrics.onFault);
    return { serve: (core) => serve(process, settings, core, metrics) };
  },
};
