// npm run test:suite pgbouncer: runs the API tests through a real PgBouncer in transaction mode. It
// is installed if this is Debian and the user is root. If it is missing, the command says so and
// exits with 77. PGBOUNCER names another program than Debian's.
import { run } from 'jest';

import { needPrograms } from '../../support/debian-packages.mjs';

if (process.env.PGBOUNCER === undefined) needPrograms({ program: 'pgbouncer' });
await run(['--config', 'jest.pgbouncer.config.js', ...process.argv.slice(2)]);
