import { type Config, loadConfig } from '../../../src/config';
import { settings } from '../../../src/settings';

/** The names that are not settings of the service. */
export function unknownSettings(names: Iterable<string>): string[] {
  return [...names].filter((name) => !(name in settings.shape));
}

/**
 * The maximum time that an instance takes to stop, from its settings: see "Stopping" in
 * docs/operations/deploy.md.
 */
export function stopsWithinSeconds(environment: Record<string, string>): number {
  const { SHUTDOWN_DELAY_MS, SHUTDOWN_TIMEOUT_MS }: Config = loadConfig(environment);
  return (SHUTDOWN_DELAY_MS + SHUTDOWN_TIMEOUT_MS) / 1_000 + 2;
}
