import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/**
 * Adds the settings of the file `.env` in the working directory to the environment. What the
 * environment has already, stays. `ENV_FILE` names another file, which must then exist, or is
 * `off`.
 *
 * @throws Error when the file cannot be read
 */
export function loadEnvironmentFile(environment: NodeJS.ProcessEnv): void {
  // An empty variable counts as absent, as in every other setting.
  const given = environment['ENV_FILE'] || undefined;
  const file = given ?? '.env';
  if (file === 'off') return;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (given === undefined && (error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  for (const [name, value] of Object.entries(parseEnv(text))) environment[name] ??= value;
}
