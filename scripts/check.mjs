// npm run check [NAME …]: runs all static checks, or the named ones, one per core. Fails when one
// of them fails.
import { spawn } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const bin = (file) => path.join('node_modules', file);
const tsNode = ['-r', 'ts-node/register'];
/** Checks only the files that changed since the last run, and those that depend on them. */
const incremental = (name) => ['--incremental', '--tsBuildInfoFile', `node_modules/.cache/types/${name}`];

/** The arguments of node for each step of a check. */
const checks = {
  lint: [[bin('eslint/bin/eslint.js'), '.']],
  types: [
    [bin('typescript/bin/tsc'), '--noEmit', ...incremental('root')],
    [bin('typescript/bin/tsc'), '-p', 'test/suites/browser'],
    [bin('typescript/bin/tsc'), '-p', 'packages/sdk', '--noEmit', ...incremental('sdk')],
  ],
  format: [[bin('prettier/bin/prettier.cjs'), '--check', '--cache', '.']],
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

/** Runs one step. Resolves with its exit code and what it printed. */
function run(step) {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(process.execPath, step, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
    child.on('close', (code) => resolve({ code, output }));
  });
}

const failed = [];
const waiting = [...names];

async function work() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const startedAt = Date.now();
    let isPassed = true;
    for (const step of checks[name]) {
      const { code, output } = await run(step);
      process.stdout.write(output);
      isPassed &&= code === 0;
    }
    if (!isPassed) failed.push(name);
    const seconds = Math.round((Date.now() - startedAt) / 1_000);
    console.log(`${name}: ${isPassed ? 'passed' : 'FAILED'} in ${seconds} s`);
  }
}

await Promise.all(Array.from({ length: os.availableParallelism() }, work));
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
