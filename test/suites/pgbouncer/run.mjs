// npm run test:suite pgbouncer: the tests of the API through a real PgBouncer in transaction mode,
// which is installed if this is Debian and root. Where it cannot be had, the command says so and
// ends with 77. PGBOUNCER names another program than Debian's.
import { run } from 'jest';

import { needPrograms } from '../../support/debian-packages.mjs';

if (process.env.PGBOUNCER === undefined) needPrograms({ program: 'pgbouncer' });
await run(['--config', 'jest.pgbouncer.config.js', ...process.argv.slice(2)]);
