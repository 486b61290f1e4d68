import { type Config, settingsOf } from '../read-settings';
import type { PooledDatabase } from '../db/pool/database';
import { createSignals, type Feature, type FeatureInProcess, type ServiceProcess } from '../feature';
import { type Metrics, metricsOfFeatures } from '../metrics/metrics';
import type { Logger } from '../shared/logger';
import { storedKeyOf } from '../startup/peppers';

/** What features get from the process that runs them. */
export const createProcess = (
  config: Config,
  {
    metrics,
    ...parts
  }: Pick<ServiceProcess, 'stopWithinMs' | 'pollMs'> & {
    database: PooledDatabase;
    metrics: Metrics;
    logger: Logger;
  },
): ServiceProcess => ({
  ...parts,
  config,
  metrics: metricsOfFeatures(metrics.registry),
  signals: createSignals(),
  storedKey: (name) => storedKeyOf(config, name),
});

/** Builds the part of each feature in this process. */
export const createFeatures = (features: readonly Feature[], process: ServiceProcess): FeatureInProcess[] =>
  features.map((feature) => feature.create(process, settingsOf(process.config, feature.settings ?? {})));

/** Stops parts at once, and waits for all. */
export const stopAll = (parts: readonly { stop?: () => Promise<unknown> }[]): Promise<unknown> =>
  Promise.all(parts.map(async ({ stop }) => stop?.()));
