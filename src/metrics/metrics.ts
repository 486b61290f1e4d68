import { Registry } from 'prom-client';

import { createAdmissionMetrics } from './admission-metrics';
import { createContributionMetrics } from './contribution-metrics';
import { createCredentialMetrics } from './credential-metrics';
import { createDatabaseMetrics } from './database-metrics';
import { createHttpMetrics } from './http-metrics';
import { createSandboxMetrics } from './sandbox-metrics';
import { createWebhookMetrics } from './webhook-metrics';

/**
 * The metrics of this process. Each part of the service receives only the interface that it reports
 * to. Only this folder uses Prometheus.
 */
export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  return {
    registry,
    http: createHttpMetrics(registry),
    admission: createAdmissionMetrics(registry),
    database: createDatabaseMetrics(registry),
    credentials: createCredentialMetrics(registry),
    contributions: createContributionMetrics(registry),
    sandbox: createSandboxMetrics(registry),
    webhooks: createWebhookMetrics(registry),
  };
}
