// npm run test:suite full: all tests of `npm test` and the long ones; see
// test/support/full-run.ts.
import { run } from 'jest';

process.env.FULL_TEST_RUN = 'on';
await run(process.argv.slice(2));
