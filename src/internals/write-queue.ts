import type { Socket } from 'node:net';

/**
 * Bytes that Node has handed to libuv and the operating system has not taken yet. `writableLength`
 * stays the same until a whole write is done: within a write of several hundred kilobytes, only
 * this shows that the client reads. Node's own socket timeout uses the same field. If it
 * disappears, a client must read a whole response within the time limit of unsent responses
 * (`test/unit/unsent-responses.test.ts` fails).
 */
export function writeQueueBytes(socket: Socket): number {
  const { _handle } = socket as Socket & { _handle?: { writeQueueSize?: number } | null };
  return _handle?.writeQueueSize ?? 0;
}
