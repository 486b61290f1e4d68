// npm run test:suite recovery: needs pg_basebackup and its server, which the embedded packages do
// not contain. It uses Debian's packages, and installs them if the user is root. Otherwise, the
// command prints the reason and exits with 77 (skipped).
import { spawnSync } from 'node:child_process';

import { needPrograms } from '../../support/debian-packages.mjs';

const version = 15;
const programs = `/usr/lib/postgresql/${version}/bin`;
needPrograms({ program: `${programs}/pg_basebackup`, packageName: `postgresql-${version}` });
needPrograms({ program: `${programs}/postgres`, packageName: `postgresql-${version}` });
const program = ['-r', 'ts-node/register', 'test/suites/recovery/main.ts', '--programs', programs];
const { status } = spawnSync(process.execPath, [...program, ...process.argv.slice(2)], { stdio: 'inherit' });
process.exit(status ?? 1);
