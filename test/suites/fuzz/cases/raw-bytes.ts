import type { Random } from '../../faults/random';
import type { FuzzCase } from './case';

const interesting = [
  0x00, 0x09, 0x0a, 0x0d, 0x20, 0x22, 0x25, 0x2f, 0x3a, 0x3f, 0x5c, 0x7f, 0x80, 0xa0, 0xff,
];
const words = [
  '\r\n',
  '\r\n\r\n',
  'HTTP/1.1',
  'Content-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  '0\r\n\r\n',
  ' ',
  '%',
];

/** Corrupts bytes in a few places. */
function corruptBytes(bytes: Buffer, random: Random): Buffer {
  let damaged = Buffer.from(bytes);
  for (let count = random.pick([1, 1, 2, 3, 8]); count > 0; count -= 1) {
    // Mostly in the headers, where it has the most effect.
    const end = random.chance(0.7) ? Math.min(damaged.length, 200) : damaged.length;
    const at = random.integer(0, Math.max(0, end - 1));
    const rest = damaged.subarray(at);
    switch (random.integer(0, 5)) {
      case 0:
        if (at < damaged.length) damaged[at] = random.integer(0, 255);
        break;
      case 1:
        if (at < damaged.length) damaged[at] = random.pick(interesting);
        break;
      case 2:
        damaged = Buffer.concat([damaged.subarray(0, at), Buffer.from(random.pick(words)), rest]);
        break;
      case 3:
        damaged = Buffer.concat([damaged.subarray(0, at), rest.subarray(random.integer(1, 20))]);
        break;
      case 4:
        damaged = damaged.subarray(0, at);
        break;
      default: {
        const copied = damaged.subarray(at, at + random.integer(1, 60));
        damaged = Buffer.concat([damaged.subarray(0, at), copied, rest]);
      }
    }
  }
  return damaged;
}

/** Bytes that never were a request. */
function noise(random: Random): Buffer {
  const openings = [
    '',
    'GET ',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\u0016\u0003\u0001\u0002\u0000',
    'SSH-2.0-x\r\n',
    '\r\n\r\n',
  ];
  const length = random.pick([1, 20, 300, 20_000]);
  const bytes = Uint8Array.from({ length }, () => random.integer(0, 255));
  return Buffer.concat([Buffer.from(random.pick(openings), 'latin1'), bytes]);
}

/** A case without expectations, except for the bytes that it was made from. */
export function rawCase(index: number, original: Buffer, random: Random): FuzzCase {
  const isNoise = random.chance(0.15);
  return {
    index,
    kind: isNoise ? 'raw:noise' : 'raw:damaged',
    bytes: isNoise ? noise(random) : corruptBytes(original, random),
    cuts: [],
    requests: [],
    rest: 'anything',
  };
}
