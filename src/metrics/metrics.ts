import { Registry } from 'prom-client';

import type { GateObserver } from '../http/server/admission/gate';
import { createAdmissionMetrics } from './admission-metrics';
import { createContributionMetrics, type ContributionMetrics } from './contribution-metrics';
import { createCredentialMetrics, type CredentialMetrics } from './credential-metrics';
import { createDatabaseMetrics, type DatabaseMetrics } from './database-metrics';
import { createHttpMetrics, type HttpMetrics } from './http-metrics';

/**
 * The metrics of this process. Each part of the service receives only the interface that it reports
 * to. Only this folder uses Prometheus.
 */
export interface Metrics {
  readonly registry: Registry;
  readonly http: HttpMetrics;
  readonly admission: GateObserver;
  readonly database: DatabaseMetrics;
  readonly credentials: CredentialMetrics;
  readonly contributions: ContributionMetrics;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  return {
    registry,
    http: createHttpMetrics(registry),
    admission: createAdmissionMetrics(registry),
    database: createDatabaseMetrics(registry),
    credentials: createCredentialMetrics(registry),
    contributions: createContributionMetrics(registry),
  };
}
