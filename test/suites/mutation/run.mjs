// npm run test:suite mutation runs Stryker on the TypeScript. With the first argument `sql`, it
// mutates the SQL and the schema instead.
import { createRequire } from 'node:module';

const isSql = process.argv[2] === 'sql';
if (isSql) process.argv.splice(2, 1);
const require = createRequire(import.meta.url);
require('ts-node/register');
require(isSql ? './run-sql.ts' : './run-stryker.ts');
