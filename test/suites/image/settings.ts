import { type Config, readSettings } from '../../../src/read-settings';
import { listSettings } from '../../../src/contracts';
import { secretNames } from '../../../src/service.settings';

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
  const { SHUTDOWN_DELAY_MS, SHUTDOWN_TIMEOUT_MS }: Config = readSettings(environment, listSettings());
  return (SHUTDOWN_DELAY_MS + SHUTDOWN_TIMEOUT_MS) / 1_000 + 2;
}
