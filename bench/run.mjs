// Compiles the service and the benchmarks, then runs one of them: node bench/run.mjs
// [data | scale | overload | batch | statements | feed | webhooks | citus | report]
// [OPTIONS]. Without a name, it compares the service with other programs.
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { installCitus } from '../test/support/citus/install.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const steps = [
  ['scripts/build.mjs', '--if-stale'],
  ['node_modules/typescript/bin/tsc', '-p', 'bench'],
];
for (const step of steps) {
  const { status } = spawnSync(process.execPath, step, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
// The migrator reads its SQL files beside the compiled program.
const database = path.join(root, 'dist-bench', 'database');
rmSync(database, { recursive: true, force: true });
cpSync(path.join(root, 'database'), database, { recursive: true });

const names = ['data', 'scale', 'overload', 'batch', 'statements', 'feed', 'webhooks', 'citus', 'report'];
const hasName = names.includes(process.argv[2]);
const [name = ''] = hasName ? process.argv.splice(2, 1) : [];
if (name === 'citus') installCitus();
process.argv[1] = path.join(root, 'dist-bench', 'bench', name, 'main.js');
createRequire(import.meta.url)(process.argv[1]);
