// npm run test:suite alerts: checks the alert rules with Prometheus. Without promtool, the
// command prints the reason and exits with 77 (skipped).
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { run } from 'jest';

const skipped = 77;
const finder = path.join(path.dirname(fileURLToPath(import.meta.url)), 'promtool.mjs');
const { status, stdout } = spawnSync(process.execPath, [finder], { encoding: 'utf8' });
if (status !== 0) {
  console.log(`skipped: ${stdout.trim()}`);
  process.exit(skipped);
}
process.env.PROMTOOL = stdout.trim();
await run(['--testMatch', '**/test/suites/alerts/*.promtool.ts', ...process.argv.slice(2)]);
