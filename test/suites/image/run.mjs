// npm run test:suite image: runs the steps of the Dockerfile without a container engine in an empty
// folder, and then the service from the result. It needs the npm registry.
import { run } from 'jest';

await run(['--runInBand', '--testMatch', '**/test/suites/image/*.try.ts', ...process.argv.slice(2)]);
