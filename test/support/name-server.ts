import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** The addresses of a host; undefined to send no response. */
type Answer = (host: string) => { v4?: string; v6?: Buffer } | undefined;

const types = { v4: 1, v6: 28 } as const;

/** Reads the one question of a DNS message (RFC 1035). */
function questionOf(message: Buffer): { host: string; type: number; bytes: Buffer } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += length + 1;
  }
  return { host: labels.join('.'), type: message.readUInt16BE(at + 1), bytes: message.subarray(12, at + 5) };
}

function recordOf(type: number, data: Buffer): Buffer {
  const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]);
  return Buffer.concat([head, data]);
}

/** A name server on this machine. */
export async function startNameServer(answer: Answer): Promise<{ address: string; stop: () => void }> {
  const socket = createSocket('udp4');
  socket.on('message', (message, { address, port }) => {
    const { host, type, bytes } = questionOf(message);
    const found = answer(host);
    if (!found) return;
    const v4 = found.v4 === undefined ? undefined : Buffer.from(found.v4.split('.').map(Number));
    const data = type === types.v4 ? v4 : type === types.v6 ? found.v6 : undefined;
    const records = data ? recordOf(type, data) : Buffer.alloc(0);
    const head = Buffer.from([0x81, 0x80, 0, 1, 0, data ? 1 : 0, 0, 0, 0, 0]);
    socket.send(Buffer.concat([message.subarray(0, 2), head, bytes, records]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    stop: () => {
      socket.close();
    },
  };
}
