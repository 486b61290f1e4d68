// npm run test:suite full [-- --part]: all tests of `npm test` and the long ones; see
// test/support/full-run.ts. `--part` is for the gate: of each table of samples it runs only the
// rows that npm test runs.
import { run } from 'jest';

const options = process.argv.slice(2);
const others = options.filter((option) => option !== '--part');
process.env.FULL_TEST_RUN = others.length < options.length ? 'part' : 'on';
await run(others);
