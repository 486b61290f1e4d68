// npm run test:suite haproxy: the rules of HTTPS and the limits per source behind a real haproxy,
// which is installed if this is Debian and root. Where it cannot be had, the command says so and
// ends with 77, which is neither passed nor failed.
import { run } from 'jest';

import { haproxy, needPrograms, openssl } from '../../support/debian-packages.mjs';

needPrograms(haproxy, openssl);
await run(['--runInBand', '--testMatch=**/test/suites/haproxy/*.haproxy.ts', ...process.argv.slice(2)]);
