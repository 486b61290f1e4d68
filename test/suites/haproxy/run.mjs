// npm run test:suite haproxy: tests the HTTPS rules and the limits per source behind a real
// haproxy. It is installed if this is Debian and the user is root. If it is missing, the
// command prints the reason and exits with 77 (skipped).
import { run } from 'jest';

import { haproxy, needPrograms, openssl } from '../../support/debian-packages.mjs';

needPrograms(haproxy, openssl);
await run(['--runInBand', '--testMatch=**/test/suites/haproxy/*.haproxy.ts', ...process.argv.slice(2)]);
