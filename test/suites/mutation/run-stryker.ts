import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import path from 'node:path';

import { withPostgres } from './postgres';

/**
 * `npm run test:suite mutation`: runs Stryker, whose Jest runs share one PostgreSQL. Passes its
 * arguments to Stryker.
 */
async function main(): Promise<void> {
  const notesDirectory = path.resolve('reports', 'stryker-notes');
  rmSync(notesDirectory, { recursive: true, force: true });
  process.exitCode = await withPostgres(async (environment) => {
    const stryker = spawn(
      process.execPath,
      [
        'node_modules/@stryker-mutator/core/bin/stryker.js',
        'run',
        'stryker.config.mjs',
        ...process.argv.slice(2),
      ],
      {
        stdio: 'inherit',
        env: { ...process.env, ...environment, MUTATION_NOTES_DIRECTORY: notesDirectory },
      },
    );
    // Ctrl-C also stops Stryker, which would otherwise continue without its database.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stryker.kill(signal));
    const [code] = (await once(stryker, 'exit')) as [number | null];
    return code ?? 1;
  });
}

void main();
