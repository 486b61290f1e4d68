import { crc32, deflateRawSync, gzipSync } from 'node:zlib';

import { fileLimits, StatementFileRefused } from '@contribution-service/bank-files';

import { unpacked } from '../../../src/features/bank-statements/reading/unpack';

/** Packed files are unpacked within the limit, and everything else is refused in plain words. */
const content = Buffer.from('01,BANK,CUSTOMER,261120,0600,1,,,2/\n'.repeat(100));
const limit = fileLimits.bytes;

/** Unpacks a file that arrives in pieces. */
async function unpack(bytes: Uint8Array, pieceLength = 1_000): Promise<Buffer> {
  function* pieces(): Generator<Uint8Array, void> {
    for (let at = 0; at < bytes.length; at += pieceLength) yield bytes.subarray(at, at + pieceLength);
  }
  const found: Uint8Array[] = [];
  for await (const piece of unpacked(pieces())) found.push(piece);
  return Buffer.concat(found);
}

interface Zipped {
  name: string;
  content: Buffer;
  isStored?: boolean;
  flags?: number;
  crc?: number;
}

function zip(files: readonly Zipped[], comment = ''): Buffer {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const { name, content: plain, isStored = false, flags = 0, crc = crc32(plain) } of files) {
    const packed = isStored ? plain : deflateRawSync(plain);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(isStored ? 0 : 8, 4);
    common.writeUInt32LE(crc, 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(plain.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(at, 10);
    entries.push(
      Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 0]), common, tail, Buffer.from(name)]),
    );
    locals.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(at, 12);
  end.writeUInt16LE(comment.length, 16);
  return Buffer.concat([...locals, directory, Buffer.from('PK\x05\x06'), end, Buffer.from(comment)]);
}

const one = (changes: Partial<Zipped> = {}): Zipped => ({ name: 'statement.bai', content, ...changes });

test.each<[string, Uint8Array]>([
  ['gzip', gzipSync(content)],
  [
    'several gzip members',
    Buffer.concat([gzipSync(content.subarray(0, 50)), gzipSync(content.subarray(50))]),
  ],
  ['ZIP', zip([one()])],
  ['ZIP without compression', zip([one({ isStored: true })])],
  ['ZIP with a comment', zip([one()], 'a comment')],
  ['ZIP with a folder', zip([{ name: 'folder/', content: Buffer.alloc(0), isStored: true }, one()])],
  ['ZIP of macOS', zip([one(), one({ name: '__MACOSX/._statement.bai', content: Buffer.from('x') })])],
  ['plain bytes', content],
])('%s: the content is the file', async (_kind, bytes) => {
  for (const pieceLength of [1, 7, 100_000]) expect(await unpack(bytes, pieceLength)).toEqual(content);
});

test('a ZIP file that another program made is read', async () => {
  // zipfile of Python
  const made = Buffer.from(
    'UEsDBBQAAAAIAAAAIVwv+vhICwAAAHgAAAANAAAAc3RhdGVtZW50LnR4dMtIzcnJV8igOwkAUEsBAhQDFAAAAAgAAAAhXC/6+EgLAAAAeAAAAA0AAAAAAAAAAAAAAIABAAAAAHN0YXRlbWVudC50eHRQSwUGAAAAAAEAAQA7AAAANgAAAAAA',
    'base64',
  );
  expect((await unpack(made)).toString()).toBe('hello '.repeat(20));
});

test.each<[string, Uint8Array, string]>([
  [
    'a ZIP file that is larger than the memory for it',
    zip([one({ content: Buffer.alloc(limit), isStored: true })]),
    'The ZIP file has more than 16 MiB. Send it as gzip.',
  ],
  ['truncated gzip', gzipSync(content).subarray(0, -9), 'The compressed file is damaged.'],
  [
    'gzip with a wrong checksum',
    Buffer.concat([gzipSync(content).subarray(0, -8), Buffer.alloc(8)]),
    'The compressed file is damaged.',
  ],
  [
    'a ZIP file with two files',
    zip([one(), one({ name: 'other' })]),
    'The ZIP file contains 2 files. Send one.',
  ],
  ['an empty ZIP file', zip([]), 'The ZIP file contains 0 files. Send one.'],
  [
    'an encrypted ZIP file',
    zip([one({ flags: 1 })]),
    'The ZIP file is encrypted. Send it without a password.',
  ],
  ['a ZIP file with a wrong checksum', zip([one({ crc: 1 })]), 'The ZIP file is damaged.'],
  ['a ZIP file without its end', zip([one()]).subarray(0, -30), 'The ZIP file is damaged.'],
  ['only the start of a ZIP file', Buffer.from('PK\x03\x04'), 'The ZIP file is damaged.'],
])('%s is refused', async (_kind, bytes, reason) => {
  await expect(unpack(bytes, 100_000)).rejects.toEqual(new StatementFileRefused(reason));
});

test('a ZIP file with any changed byte is read correctly, or refused', async () => {
  const whole = zip([one()]);
  for (let at = 4; at < whole.length; at += 1) {
    const changed = Buffer.from(whole);
    changed[at] = (changed[at] ?? 0) ^ 0xff;
    try {
      expect(await unpack(changed)).toEqual(content);
    } catch (error) {
      expect(error).toBeInstanceOf(StatementFileRefused);
    }
  }
});

test('a failure of the source is no damage of the file', async () => {
  function* leaving(): Generator<Uint8Array, void> {
    yield gzipSync(content).subarray(0, 20);
    throw new Error('the sender left');
  }
  const reading = async (): Promise<void> => {
    for await (const piece of unpacked(leaving())) expect(piece).toBeDefined();
  };
  await expect(reading()).rejects.toThrow('the sender left');
});

test('a bomb is unpacked only as far as it is read', async () => {
  const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024));
  const before = process.memoryUsage.rss();
  let length = 0;
  for await (const piece of unpacked([bomb])) {
    length += piece.length;
    if (length > limit) break;
  }
  expect(process.memoryUsage.rss() - before).toBeLessThan(2 * limit);
});
