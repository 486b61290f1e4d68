import { type Config, loadConfig } from '../../../src/config';
import { listSettings } from '../../../src/contracts';
import { secretNames } from '../../../src/settings';

/** The names that are neither settings of the service nor name the file of one. */
export function unknownSettings(names: Iterable<string>): string[] {
  const schema = listSettings();
  const files = secretNames(schema).map((name) => `${name}_FILE`);
  return [...names].filter((name) => !(name in schema.shape) && !files.includes(name));
}

/**
 * The maximum time that an instance takes to stop, from its settings: see "Stopping" in
 * docs/operations/deploy.md.
 */
export function stopsWithinSeconds(environment: Record<string, string>): number {
  const { SHUTDOWN_DELAY_MS, SHUTDOWN_TIMEOUT_MS }: Config = loadConfig(environment, listSettings());
  return (SHUTDOWN_DELAY_MS + SHUTDOWN_TIMEOUT_MS) / 1_000 + 2;
}
