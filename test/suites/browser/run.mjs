// npm run test:suite browser [-- --every-row]: tests the documentation in a real browser: every
// third combination of page, width and color scheme, or all of them. Without a browser, the command
// prints the reason and exits with 77 (skipped).
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { takeRows } from '../rows.mjs';

const folder = path.dirname(fileURLToPath(import.meta.url));
const { status, stdout } = spawnSync(process.execPath, [path.join(folder, 'chromium.mjs')], {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
});
if (status !== 0) {
  console.log(`skipped: ${stdout.trim()}`);
  process.exit(77);
}
process.env.CHROMIUM = stdout.trim();
const { run } = await import('jest');
await run(['--config', 'jest.browser.config.js', '--runInBand', ...takeRows(process.argv.slice(2))]);
