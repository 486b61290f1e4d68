// npm run test:suite image: the steps of the Dockerfile without a container engine, in an empty
// folder, and the service from what they leave. It needs the npm registry.
import { run } from 'jest';

await run(['--runInBand', '--testMatch', '**/test/suites/image/*.try.ts', ...process.argv.slice(2)]);
