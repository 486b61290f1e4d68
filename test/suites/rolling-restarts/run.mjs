// npm run test:suite rolling-restarts: needs haproxy and openssl, which are installed if this is
// Debian and the user is root. If they are missing, the command prints the reason and exits with 77
// (skipped).
import { spawnSync } from 'node:child_process';

import { installCitus } from '../../support/citus/install.mjs';
import { haproxy, needPrograms, openssl } from '../../support/debian-packages.mjs';

needPrograms(haproxy, openssl);
if (process.argv.includes('--citus')) installCitus();
if (process.argv.includes('--pgbouncer') && process.env.PGBOUNCER === undefined)
  needPrograms({ program: 'pgbouncer' });
const program = ['-r', 'ts-node/register', 'test/suites/rolling-restarts/main.ts', ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, program, { stdio: 'inherit' });
process.exit(status ?? 1);
