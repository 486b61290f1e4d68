// npm run test:suite citus-faults [-- --help]: faults of a cluster's nodes while partners and banks
// work.
import { createRequire } from 'node:module';

import { installCitus } from '../../support/citus/install.mjs';

installCitus();
const require = createRequire(import.meta.url);
require('ts-node/register');
require('./main.ts');
