import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

import { createRandom } from '../../faults/random';

/** What a hostile receiver does after it has received a request. */
export interface HostileResponse {
  name: string;
  act: (socket: Socket) => void;
}

/** A connection with TLS can only be cut. */
function reset(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

const writes =
  (...parts: readonly (string | Buffer)[]) =>
  (socket: Socket): void => {
    for (const part of parts) socket.write(part);
    socket.end();
  };

/** Writes the part again and again, as fast as the other side reads. */
const floods =
  (first: string, part: string) =>
  (socket: Socket): void => {
    const bytes = Buffer.from(part.repeat(Math.ceil(16_384 / part.length)));
    const write = (): void => {
      while (!socket.destroyed && socket.write(bytes));
    };
    socket.on('drain', write);
    socket.write(first, write);
  };

/** Writes the text one byte at a time. After the text, it sends nothing. */
const drips =
  (text: string) =>
  (socket: Socket): void => {
    let at = 0;
    const timer = setInterval(() => {
      if (at < text.length) socket.write(text.charAt(at));
      at += 1;
    }, 20);
    socket.once('close', () => {
      clearInterval(timer);
    });
  };

const head = (status: string, ...lines: string[]): string =>
  [`HTTP/1.1 ${status}`, ...lines, '', ''].join('\r\n');
const good = head('204 No Content', 'Content-Length: 0');

/** Ways in which receivers fail or attack. */
export const hostileResponses: readonly HostileResponse[] = [
  { name: 'never responds', act: () => undefined },
  { name: 'closes', act: (socket) => socket.end() },
  { name: 'resets', act: reset },
  {
    name: 'resets within the headers',
    act: (socket) =>
      socket.write('HTTP/1.1 200 OK\r\nX-A', () => {
        reset(socket);
      }),
  },
  {
    name: 'resets within the body',
    act: (socket) =>
      socket.write(`${head('500 No', 'Content-Length: 100')}half`, () => {
        reset(socket);
      }),
  },
  {
    name: 'redirects to the metadata address',
    act: writes(head('302 Found', 'Location: http://169.254.169.254/')),
  },
  { name: 'redirects to itself', act: writes(head('307 Temporary Redirect', 'Location: /')) },
  { name: 'endless headers', act: floods(head('200 OK').slice(0, -2), 'X-A: aaaaaaaaaaaaaaaa\r\n') },
  { name: 'one endless header', act: floods('HTTP/1.1 200 OK\r\nX-A: ', 'a') },
  { name: 'an endless reason', act: floods('HTTP/1.1 200 ', 'a') },
  { name: 'an endless body', act: floods(head('200 OK'), 'a') },
  { name: 'an endless body of a failure', act: floods(head('500 No'), '\0') },
  { name: 'endless chunks', act: floods(head('500 No', 'Transfer-Encoding: chunked'), '1\r\na\r\n') },
  { name: 'endless chunk extensions', act: floods(`${head('500 No', 'Transfer-Encoding: chunked')}1;`, 'a') },
  {
    name: 'endless trailers',
    act: floods(`${head('200 OK', 'Transfer-Encoding: chunked')}0\r\n`, 'X-A: a\r\n'),
  },
  { name: 'endless interim responses', act: floods('', head('103 Early Hints', 'Link: </x>')) },
  { name: 'endless responses', act: floods(good, good) },
  { name: 'a slow status line', act: drips(good) },
  { name: 'slow headers', act: drips(`HTTP/1.1 200 OK\r\n${'X-A: a\r\n'.repeat(100)}`) },
  { name: 'a slow body', act: drips(`${head('500 No', 'Content-Length: 1000')}${'a'.repeat(1000)}`) },
  { name: 'a body shorter than stated', act: writes(`${head('200 OK', 'Content-Length: 100')}a`) },
  { name: 'a body longer than stated', act: writes(`${head('500 No', 'Content-Length: 1')}aaaa`) },
  { name: 'a negative length', act: writes(head('200 OK', 'Content-Length: -1')) },
  { name: 'a length beyond all numbers', act: writes(head('200 OK', `Content-Length: ${'9'.repeat(40)}`)) },
  { name: 'two lengths', act: writes(head('200 OK', 'Content-Length: 1', 'Content-Length: 2')) },
  {
    name: 'a length and chunks',
    act: writes(`${head('200 OK', 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`),
  },
  { name: 'chunks of no size', act: writes(`${head('200 OK', 'Transfer-Encoding: chunked')}z\r\n`) },
  { name: 'a second response that nobody asked for', act: (socket) => socket.write(good + good) },
  {
    name: 'an upgrade',
    act: writes(head('101 Switching Protocols', 'Upgrade: h2c', 'Connection: Upgrade'), 'data'),
  },
  { name: 'status 999', act: writes(head('999 What', 'Content-Length: 0')) },
  { name: 'status 000', act: writes(head('000 What', 'Content-Length: 0')) },
  { name: 'a status that is no number', act: writes(head('two hundred')) },
  { name: 'no HTTP', act: writes('SSH-2.0-OpenSSH_9.6\r\n') },
  { name: 'HTTP/2', act: writes(Buffer.from('00000c04000000000000030000006400040000ffff', 'hex')) },
  { name: 'HTTP/0.9', act: writes('<html></html>') },
  { name: 'NUL in a header', act: writes(head('200 OK', 'X-A: a\0b')) },
  { name: 'folded headers', act: writes(head('200 OK', 'X-A: a', ' b')) },
  { name: 'a bare line feed', act: writes('HTTP/1.1 200 OK\nContent-Length: 0\n\n') },
  { name: 'a compressed body that is none', act: writes(`${head('500 No', 'Content-Encoding: gzip')}aaaa`) },
  {
    name: 'an endless wait',
    act: writes(head('503 No', `Retry-After: ${'9'.repeat(9)}`, 'Content-Length: 0')),
  },
  {
    name: 'a wait that is no time',
    act: writes(head('503 No', 'Retry-After: \x80\xff', 'Content-Length: 0')),
  },
  { name: 'text that is not UTF-8', act: writes(head('500 No'), Buffer.from('c328a0a1ffff00', 'hex')) },
];

/** Responses with random damage: bytes that are changed, removed, repeated or cut off. */
export function damagedResponse(seed: number): HostileResponse {
  const random = createRandom(seed);
  const whole = random.pick([
    good,
    `${head('500 No', 'Content-Length: 4', 'Retry-After: 5')}text`,
    `${head('200 OK', 'Transfer-Encoding: chunked')}4\r\ntext\r\n0\r\n\r\n`,
    `${head('103 Early Hints', 'Link: </x>')}${good}`,
  ]);
  let bytes = Buffer.from(whole);
  for (let count = random.integer(1, 4); count > 0 && bytes.length > 0; count -= 1) {
    const at = random.integer(0, bytes.length - 1);
    const length = random.integer(1, 20);
    const parts = [
      bytes.subarray(0, at),
      bytes.subarray(at, at + length),
      bytes.subarray(at + length),
    ] as const;
    bytes = Buffer.concat(
      random.pick([
        [parts[0], Buffer.from([random.integer(0, 255)]), bytes.subarray(at + 1)],
        [parts[0], parts[2]],
        [parts[0], parts[1], parts[1], parts[2]],
        [parts[0]],
      ]),
    );
  }
  const damaged = bytes;
  const ends = random.chance(0.7);
  return {
    name: `damaged ${seed}`,
    act(socket) {
      socket.write(damaged);
      if (ends) socket.end();
    },
  };
}
