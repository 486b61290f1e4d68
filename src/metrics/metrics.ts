import { Counter, Gauge, Histogram, Registry } from 'prom-client';

import { createAdmissionMetrics } from './admission-metrics';
import { createContributionMetrics } from './contribution-metrics';
import { createCredentialMetrics } from './credential-metrics';
import { createDatabaseMetrics } from './database-metrics';
import type { MetricsOfFeature } from './feature-metrics';
import { createHttpMetrics } from './http-metrics';

/**
 * The metrics of this process. Each part of the service receives only the interface that it reports
 * to. Only this folder uses Prometheus.
 */
export type Metrics = ReturnType<typeof createMetrics>;

export const metricsOfFeatures = (registry: Registry): MetricsOfFeature => ({
  counter: (options) => new Counter({ ...options, registers: [registry] }),
  histogram: (options) => new Histogram({ ...options, registers: [registry] }),
});

/**
 * @param version the running version of the program
 * @param errorCodes every code that a response can have
 */
export function createMetrics(version: string, errorCodes: readonly string[]) {
  const registry = new Registry();
  new Gauge({
    name: 'contribution_build_info',
    help: 'Always 1. The label names the running version.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1);
  return {
    registry,
    http: createHttpMetrics(registry, errorCodes),
    admission: createAdmissionMetrics(registry),
    database: createDatabaseMetrics(registry),
    credentials: createCredentialMetrics(registry),
    contributions: createContributionMetrics(metricsOfFeatures(registry)),
  };
}
