import { withTextSink } from '../../src/operator/cli/text-sink';
import { OperatorError } from '../../src/shared/operator-error';

test('a reader that leaves while the command waits for it ends the command with one sentence', async () => {
  const write = jest.spyOn(process.stdout, 'write').mockImplementation(() => {
    setImmediate(() => {
      process.stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    });
    return false;
  });
  const result = withTextSink(undefined, (sink) => sink.write('a row')).catch((error: unknown) => error);
  const error = await result;
  write.mockRestore();
  expect(error).toEqual(new OperatorError('The output was closed before its end.'));
});
