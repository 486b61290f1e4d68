// npm run test:all [-- --every-row]: all tests of `npm test` and the long ones. The gate runs it.
// `--every-row` also runs all rows of each table of samples, and more random cases. Other options
// are Jest's.
import { run } from 'jest';

import { takeRows } from '../rows.mjs';

await run(takeRows(process.argv.slice(2)));
