// npm run check [NAME …]: runs all static checks, or the named ones. Fails when one of them fails.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const bin = (file) => path.join('node_modules', file);
const tsNode = ['-r', 'ts-node/register'];

/** The arguments of node for each step of a check. */
const checks = {
  types: [
    [bin('typescript/bin/tsc'), '--noEmit'],
    [bin('typescript/bin/tsc'), '-p', 'test/suites/browser'],
    [bin('typescript/bin/tsc'), '-p', 'packages/sdk', '--noEmit'],
  ],
  lint: [[bin('eslint/bin/eslint.js'), '.']],
  format: [[bin('prettier/bin/prettier.cjs'), '--check', '.']],
  generated: [[...tsNode, 'scripts/generate.ts', '--check']],
  'openapi-rules': [['scripts/openapi/lint.mjs']],
  'openapi-compatible': [[...tsNode, 'scripts/openapi/released.ts']],
};

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(checks);
const unknown = names.filter((name) => !Object.hasOwn(checks, name));
if (unknown.length > 0) {
  console.error(`Unknown check: ${unknown.join(', ')}. Checks: ${Object.keys(checks).join(', ')}`);
  process.exit(1);
}

const runs = (step) => spawnSync(process.execPath, step, { cwd: root, stdio: 'inherit' }).status === 0;
const failed = names.filter((name) => !checks[name].every(runs));
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
