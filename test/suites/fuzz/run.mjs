// npm run test:suite fuzz [-- --help]: invalid and unusual requests, on PostgreSQL or on Citus.
import { createRequire } from 'node:module';

import { installCitus } from '../../support/citus/install.mjs';

if (process.argv.includes('--citus')) installCitus();
const require = createRequire(import.meta.url);
require('ts-node/register');
require('./main.ts');
