import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

// Programs import this file first, because tracing reads the environment when it is loaded.

/**
 * Adds the settings of the file `.env` in the working directory to the environment. Existing
 * variables take precedence. `ENV_FILE` names another file, which must exist, or is `off`.
 *
 * @throws Error when the file cannot be read
 */
function loadEnvironmentFile(): void {
  // An empty variable counts as absent, like every setting.
  const given = process.env['ENV_FILE'] || undefined;
  const file = given ?? '.env';
  if (file === 'off') return;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (given === undefined && (error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  for (const [name, value] of Object.entries(parseEnv(text))) process.env[name] ??= value;
}

try {
  loadEnvironmentFile();
} catch (error) {
  process.stderr.write(
    `The settings file cannot be read: ${error instanceof Error ? error.message : 'no reason given'}\n`,
  );
  process.exit(2);
}
