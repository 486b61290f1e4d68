import { Counter, type Registry } from 'prom-client';

import type { SettlementOutcome } from '../modules/sandbox/sandbox-settings.fields';

export interface SandboxMetrics {
  onAttempt: (outcome: SettlementOutcome) => void;
}

const noAttempts: Record<Exclude<SettlementOutcome, 'scheduled'>, 0> = {
  completed: 0,
  repeated: 0,
  amount_mismatch: 0,
  transaction_not_found: 0,
  completed_by_another: 0,
};

/** What partners do in their test environments. Every outcome starts at 0. */
export function createSandboxMetrics(registry: Registry): SandboxMetrics {
  const attempts = new Counter({
    name: 'sandbox_settlements_total',
    help: 'Completions that the simulated bank attempted, by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of Object.keys(noAttempts)) attempts.inc({ outcome }, 0);
  return {
    onAttempt: (outcome) => {
      attempts.inc({ outcome });
    },
  };
}
