// npm run test:suite sdk: packs the SDK, installs it into empty projects on several versions of
// Node, bundles it, and checks the packed file. It needs the npm registry.
import { run } from 'jest';

await run(['--runInBand', '--testMatch', '**/test/suites/sdk/*.package.ts', ...process.argv.slice(2)]);
