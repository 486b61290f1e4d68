import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

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
  const result = withTextSink(undefined, process.stdout, (sink) => sink.write('a row')).catch(
    (error: unknown) => error,
  );
  const error = await result;
  write.mockRestore();
  expect(error).toEqual(new OperatorError('The output was closed before its end.'));
});

describe('a file', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'text-sink-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  test('appears when it is complete', async () => {
    const file = path.join(folder, 'list.csv');
    await withTextSink(file, process.stdout, async (sink) => {
      await sink.write('a row');
      expect(() => statSync(file)).toThrow('ENOENT');
    });
    expect(readFileSync(file, 'utf8')).toBe('a row');
  });

  test('never replaces a pipe or a device', async () => {
    const pipe = path.join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const received = readFile(pipe, 'utf8');
    await withTextSink(pipe, process.stdout, (sink) => sink.write('a row'));
    expect(statSync(pipe).isFIFO()).toBe(true);
    expect(await received).toBe('a row');
    const failing = readFile(pipe, 'utf8');
    await expect(
      withTextSink(pipe, process.stdout, () => Promise.reject(new Error('failed'))),
    ).rejects.toThrow('failed');
    expect(statSync(pipe).isFIFO()).toBe(true);
    await failing;
  });
});

test('a long text leaves no listeners behind', async () => {
  const listeners = () => process.stdout.eventNames().map((name) => process.stdout.listenerCount(name));
  const before = listeners();
  const write = fullOutput(() => process.stdout.emit('drain'));
  await withTextSink(undefined, process.stdout, async (sink) => {
    for (let part = 0; part < 5; part += 1) await sink.write('a row');
  });
  write.mockRestore();
  expect(listeners()).toEqual(before);
});
