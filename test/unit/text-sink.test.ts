import { withTextSink } from '../../src/operator/cli/text-sink';
import { OperatorError } from '../../src/shared/operator-error';

/** A standard output that is full. It calls `then` after each write. */
const fullOutput = (then: () => void) =>
  jest.spyOn(process.stdout, 'write').mockImplementation(() => {
    setImmediate(then);
    return false;
  });

test('a reader that closes the pipe while the command waits for it ends the command with one sentence', async () => {
  const write = fullOutput(() => {
    process.stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  });
  const result = withTextSink(undefined, (sink) => sink.write('a row')).catch((error: unknown) => error);
  const error = await result;
  write.mockRestore();
  expect(error).toEqual(new OperatorError('The output was closed before its end.'));
});

test('a long text leaves no listeners behind', async () => {
  const listeners = () => process.stdout.eventNames().map((name) => process.stdout.listenerCount(name));
  const before = listeners();
  const write = fullOutput(() => process.stdout.emit('drain'));
  await withTextSink(undefined, async (sink) => {
    for (let part = 0; part < 5; part += 1) await sink.write('a row');
  });
  write.mockRestore();
  expect(listeners()).toEqual(before);
});
