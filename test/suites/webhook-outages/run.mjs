// npm run test:suite webhook-outages: needs openssl, which is installed if this is Debian and the
// user is root. If it is missing, the command says so and exits with 77, which is neither passed
// nor failed.
import { spawnSync } from 'node:child_process';

import { needPrograms, openssl } from '../../support/debian-packages.mjs';

needPrograms(openssl);
const program = ['-r', 'ts-node/register', 'test/suites/webhook-outages/main.ts', ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, program, { stdio: 'inherit' });
process.exit(status ?? 1);
