import { setImmediate as turn } from 'node:timers/promises';

import { withTextSink } from '../../src/operator/cli/text-sink';

test('a device that fails between two parts of a text is an error, whenever it is noticed', async () => {
  const io = { stdout: process.stdout, lost: undefined };
  // The stream reports the failure of the first part after some turns of the event loop.
  for (let turns = 0; turns < 200; turns += 1) {
    const written = withTextSink('/dev/full', io, async (sink) => {
      await sink.write('the header\n');
      for (let passed = 0; passed < turns % 20; passed += 1) await turn();
      await sink.write('a page\n');
    });
    await expect(written).rejects.toThrow('The file cannot be written: ENOSPC');
  }
});
