// npm run test:suite model: the long run of the model test. contributions.model.test.ts describes
// its settings.
import { run } from 'jest';

process.env.MODEL_SEQUENCES ??= '50000';
await run(['--runInBand', 'test/suites/model/contributions.model', ...process.argv.slice(2)]);
