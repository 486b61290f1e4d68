import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import path from 'node:path';

import { withPostgres } from './postgres';

/**
 * `npm run test:suite mutation`: Stryker, whose runs of jest share one PostgreSQL. Arguments go to
 * Stryker.
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
    // Whoever stops this stops Stryker, which would otherwise go on without its database.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stryker.kill(signal));
    const [code] = (await once(stryker, 'exit')) as [number | null];
    return code ?? 1;
  });
}

void main();
