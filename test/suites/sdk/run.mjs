// npm run test:suite sdk: packs the SDK, installs it into empty projects on several versions of
// Node, bundles it, and checks what would be published. It needs the npm registry.
import { run } from 'jest';

await run(['--runInBand', '--testMatch', '**/test/suites/sdk/*.package.ts', ...process.argv.slice(2)]);
