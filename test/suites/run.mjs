// npm run test:suite NAME [-- OPTIONS]: runs one of the longer suites. Each suite is a folder here
// with a run.mjs, or with a main.ts if it needs only ts-node.
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const folder = path.dirname(fileURLToPath(import.meta.url));
const suites = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

const [name] = process.argv.splice(2, 1);
if (!suites.includes(name)) {
  console.error(`npm run test:suite NAME [-- OPTIONS], where NAME is one of: ${suites.join(', ')}`);
  process.exit(1);
}

const runner = path.join(folder, name, 'run.mjs');
if (existsSync(runner)) {
  await import(pathToFileURL(runner));
} else {
  const require = createRequire(import.meta.url);
  require('ts-node/register');
  require(path.join(folder, name, 'main.ts'));
}
