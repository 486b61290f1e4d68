// npm run test:suite full [-- --part]: all tests of `npm test` and the long ones; see
// test/support/full-run.ts. `--part` is for the gate: of each table of samples it runs only the
// rows that npm test runs.
import { run } from 'jest';

import { takePart } from '../part.mjs';

await run(takePart(process.argv.slice(2)));
