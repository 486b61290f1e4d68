import type { Socket } from 'node:net';

/**
 * Bytes that Node has passed to libuv and the operating system has not taken yet. `writableLength`
 * changes only after a whole write. During a write of several hundred kilobytes, only this value
 * shows that the client reads. It bounds memory and saves no CPU time.
 *
 * Node's own socket timeout uses the same field. If a version of Node removes it,
 * `test/unit/unsent-responses.test.ts` fails, and a client must read a whole response within
 * `stalledAfterMs`.
 */
export function writeQueueBytes(socket: Socket): number {
  const { _handle } = socket as Socket & { _handle?: { writeQueueSize?: number } | null };
  return _handle?.writeQueueSize ?? 0;
}
