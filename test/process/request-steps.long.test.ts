import path from 'node:path';

import { runProcess } from '../support/program';

/** The command that prints the way of a request through the code. */
test('scripts/request-steps.mjs prints the calls of each request of the core in their order', async () => {
  const script = path.join(__dirname, '..', '..', 'scripts', 'request-steps.mjs');
  const { exitCode, output } = await runProcess(process.execPath, [script]);
  expect(exitCode).toBe(0);
  for (const title of ['create a contribution', 'complete a contribution', 'read the main component'])
    expect(output).toMatch(new RegExp(`^${title}: \\d+ functions, \\d+ calls, \\d+ files$`, 'm'));
  const places = ['http/request-steps', 'http/serve', 'core/contributions/contributions.service'];
  const found = places.map((place) => output.indexOf(`  ${place}  `));
  expect(found).not.toContain(-1);
  expect(found.toSorted((a, b) => a - b)).toEqual(found);
});
