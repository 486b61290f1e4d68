// npm run test:suite alerts: checks the alert rules with Prometheus, and the metrics of
// postgres_exporter with the program. Without them, the command prints the reason and exits with 77
// (skipped).
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { run } from 'jest';

const skipped = 77;
const finder = path.join(path.dirname(fileURLToPath(import.meta.url)), 'debian-program.mjs');
for (const [variable, program, debianPackage] of [
  ['PROMTOOL', 'promtool', 'prometheus'],
  ['POSTGRES_EXPORTER', 'prometheus-postgres-exporter', 'prometheus-postgres-exporter'],
]) {
  const { status, stdout } = spawnSync(process.execPath, [finder, program, debianPackage], {
    encoding: 'utf8',
  });
  if (status !== 0) {
    console.log(`skipped: ${stdout.trim()}`);
    process.exit(skipped);
  }
  process.env[variable] = stdout.trim();
}
await run(['--testMatch', '**/test/suites/alerts/*.promtool.ts', ...process.argv.slice(2)]);
