import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** Builds a response to a DNS query (RFC 1035); undefined sends none. */
export type NameResponse = (query: Buffer) => Buffer | undefined;

const record = (type: number, data: Buffer, length = data.length): Buffer =>
  Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, length >> 8, length & 255]), data]);

const questionOf = (query: Buffer): Buffer => query.subarray(12, query.indexOf(0, 12) + 5);
const typeOf = (query: Buffer): number => query.readUInt16BE(query.indexOf(0, 12) + 1);

/** @param flags the second half of the header's flags: 0 for success, 3 for an unknown name */
function answer(query: Buffer, records: readonly Buffer[], flags = 0, claimed = records.length): Buffer {
  const head = Buffer.from([0x81, 0x80 | flags, 0, 1, claimed >> 8, claimed & 255, 0, 0, 0, 0]);
  return Buffer.concat([query.subarray(0, 2), head, questionOf(query), ...records]);
}

const v4 = (text: string): Buffer => record(1, Buffer.from(text.split('.').map(Number)));
const v6 = (hexadecimal: string): Buffer => record(28, Buffer.from(hexadecimal, 'hex'));
const publicV4 = v4('93.184.215.14');

/** Sets of addresses with at least one that is not public. */
const addresses =
  (of4: readonly Buffer[], of6: readonly Buffer[] = []): NameResponse =>
  (query) =>
    answer(query, typeOf(query) === 1 ? of4 : of6);

const alias =
  (name: Buffer): NameResponse =>
  (query) =>
    answer(query, [record(5, name)]);

/** Name servers that lead to an address that is not public. Nothing may connect to it. */
export const forbiddenNames: Readonly<Record<string, NameResponse>> = {
  private: addresses([v4('10.0.0.1')]),
  loopback: addresses([v4('127.0.0.1')]),
  metadata: addresses([v4('169.254.169.254')]),
  nowhere: addresses([v4('0.0.0.0')]),
  broadcast: addresses([v4('255.255.255.255')]),
  'public and private': addresses([publicV4, v4('192.168.0.1')]),
  'many public and one private': addresses([...Array<Buffer>(25).fill(publicV4), v4('100.64.0.1')]),
  'private behind IPv6': addresses([publicV4], [v6('fd000000000000000000000000000001')]),
  'IPv4 within IPv6': addresses([], [v6('00000000000000000000ffff0a000001')]),
  NAT64: addresses([], [v6('0064ff9b00000000000000000a000001')]),
  '6to4': addresses([], [v6('20020a00000100000000000000000001')]),
  'IPv6 loopback': addresses([], [v6('00000000000000000000000000000001')]),
};

/** Name servers whose responses contain no usable address. */
export const uselessNames: Readonly<Record<string, NameResponse>> = {
  'no response': () => undefined,
  'an empty packet': () => Buffer.alloc(0),
  garbage: () => Buffer.alloc(512, 0xa5),
  'half a header': (query) => query.subarray(0, 6),
  'another id': (query) =>
    Buffer.concat([Buffer.from([query[0]! ^ 255, query[1]!]), answer(query, [publicV4]).subarray(2)]),
  'the query itself': (query) => query,
  'no records': (query) => answer(query, []),
  'more records than there are': (query) => answer(query, [], 0, 65_535),
  'a record longer than the packet': (query) =>
    answer(query, [record(typeOf(query), Buffer.alloc(4), 60_000)]),
  'an address of 3 bytes': (query) => answer(query, [record(typeOf(query), Buffer.alloc(3))]),
  'an alias of itself': alias(Buffer.from([0xc0, 12])),
  'an alias without end': alias(Buffer.from([0xc0, 0x2b])),
  'an alias of a pointer loop': alias(Buffer.from([1, 97, 0xc0, 0x29])),
  'a label that is too long': alias(Buffer.concat([Buffer.from([0x7f]), Buffer.alloc(127, 97)])),
  'an unknown name': (query) => answer(query, [], 3),
  'a failure': (query) => answer(query, [], 2),
  'a refusal': (query) => answer(query, [], 5),
  'a truncated response': (query) => {
    const response = answer(query, []);
    response[2] = response[2]! | 2;
    return response;
  },
};

/** A name server on this machine. The first label of a name selects the response. */
export async function startHostileNameServer(
  choose: (label: string) => NameResponse,
): Promise<{ address: string; stop: () => void }> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { address, port }) => {
    const length = query[12] ?? 0;
    const response = choose(query.toString('latin1', 13, 13 + length).toLowerCase())(query);
    if (response) socket.send(response, port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    stop() {
      socket.close();
    },
  };
}
