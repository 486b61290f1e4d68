import type { SandboxFaultKind } from './faults.store';
import type { LoggingOutcome } from './request-log';
import type { SettlementOutcome } from './sandbox-settings.fields';
import type { MetricsOfFeature } from '../../metrics/feature-metrics';
import { countBy } from '../../metrics/outcomes';

export type SandboxMetrics = ReturnType<typeof createSandboxMetrics>;

const noAttempts: Record<Exclude<SettlementOutcome, 'scheduled'>, 0> = {
  completed: 0,
  repeated: 0,
  amount_mismatch: 0,
  transaction_not_found: 0,
  completed_by_another: 0,
};

const noFaults: Record<SandboxFaultKind, 0> = {
  answer_lost_after_commit: 0,
  lost_before: 0,
  cut_mid_body: 0,
  delay: 0,
  '503_before': 0,
  '503_after_commit': 0,
  429: 0,
  408: 0,
  proxy_502_html: 0,
  outcome_unknown: 0,
  duplicate: 0,
  reorder: 0,
  bad_signature: 0,
  old_timestamp: 0,
  hold: 0,
};
const noLoggedRequests: Record<LoggingOutcome, 0> = { written: 0, buffer_full: 0, not_written: 0 };

/** Counters of the test environments. Every outcome starts at 0. */
export function createSandboxMetrics(metrics: MetricsOfFeature) {
  const attempts = countBy(
    metrics,
    'outcome',
    {
      name: 'sandbox_settlements_total',
      help: 'Completions that the simulated bank attempted, by outcome.',
    },
    noAttempts,
  );
  const faults = countBy(
    metrics,
    'kind',
    {
      name: 'sandbox_faults_total',
      help: 'Requests and deliveries in test environments that a fault changed, by kind of fault.',
    },
    noFaults,
  );
  const loggedRequests = countBy(
    metrics,
    'outcome',
    {
      name: 'sandbox_logged_requests_total',
      help: 'Requests of test environments for their request log, by outcome. The log has only those with the outcome written.',
    },
    noLoggedRequests,
  );
  return {
    onFault: (kind: string) => {
      faults.inc({ kind });
    },
    onAttempt: (outcome: SettlementOutcome) => {
      attempts.inc({ outcome });
    },
    /** Counts requests for the request log. */
    onLoggedRequests: (outcome: LoggingOutcome, count: number) => {
      loggedRequests.inc({ outcome }, count);
    },
  };
}
