import { setTimeout as delay } from 'node:timers/promises';

import { withTextSink } from '../../src/operator/cli/text-sink';

test('a device that fails between two parts of a text is an error', async () => {
  const io = { stdout: process.stdout, lost: undefined };
  const written = withTextSink('/dev/full', io, async (sink) => {
    await sink.write('the header\n');
    // The stream reports the failure of the first part meanwhile.
    await delay(50);
    await sink.write('a page\n');
  });
  await expect(written).rejects.toThrow('The file cannot be written: ENOSPC');
});
