import { build, runProcess } from '../support/program';

beforeAll(build);

test("the SDK's command ends without an error if its reader closes the pipe", async () => {
  const command = 'set -o pipefail; node packages/sdk/dist/command/main.js --help | (exec 0<&-; sleep 1)';
  expect(await runProcess('bash', ['-c', command])).toMatchObject({ exitCode: 0, output: '' });
});
