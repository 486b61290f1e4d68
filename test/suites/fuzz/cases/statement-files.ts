import { bai2, camt, type Payment } from '../../../../packages/bank-files/test/generate';
import type { Random } from '../../faults/random';
import type { RequestParts } from './request-parts';

/** A bank's file, with the query and the media type of its upload. */
interface File {
  content: string;
  mediaType: string;
  query: Readonly<Record<string, string>>;
}

const csvMapping = { date: 'Date', amount: 'Amount', texts: ['Description'] };
const record = (text: string): string => text.padEnd(94);
const digits = (value: bigint | number, length: number): string => String(value).padStart(length, '0');

/** One returned debit, as NACHA. */
function nacha(id: string, cents: bigint): string {
  const controls = `${'0'.repeat(10)}${digits(cents, 12)}${digits(0, 12)}`;
  return [
    record(`101 091000019 0910000192611202200A094101`),
    record(`5225${'BANK'.padEnd(36)}1234567890WEBRETURNS   ${' '.repeat(6)}261120   1091000010000001`),
    record(`626091000019${'0001'.padEnd(17)}${digits(cents, 10)}${id}${' '.repeat(24)}1091000010000001`),
    record(`799R01091000010000001${' '.repeat(6)}09100001${' '.repeat(44)}091000010000001`),
    record(`8225${digits(2, 6)}${controls}1234567890${' '.repeat(25)}091000010000001`),
    record(`9${digits(1, 6)}${digits(1, 6)}${digits(2, 8)}${controls}`),
    '',
  ].join('\n');
}

function payment(ids: readonly string[], random: Random): Payment {
  return {
    cents: BigInt(random.pick([25_00, 25_00, 25_00, 1, 99_999_00])),
    direction: random.chance(0.8) ? 'credit' : 'debit',
    text: random.chance(0.5) ? `gift ${random.pick(ids)}` : `no id ${random.integer(1, 1_000_000)}`,
    ...(random.chance(0.5) && { endToEndId: random.pick(ids) }),
    ...(random.chance(0.1) && { status: 'PDNG' as const }),
    ...(random.chance(0.1) && { currency: 'EUR' }),
  };
}

function validFile(ids: readonly string[], random: Random): File {
  const payments = Array.from({ length: random.integer(0, 8) }, () => payment(ids, random));
  const xml = 'application/xml';
  switch (random.integer(0, 5)) {
    case 0: {
      const rows = payments.map(({ cents, text }) => `2026-11-20,${Number(cents) / 100},${text}`);
      const content = ['Date,Amount,Description', ...rows, ''].join('\n');
      const query = { account: 'fuzz-csv', mapping: JSON.stringify(csvMapping) };
      return { content, mediaType: 'text/csv', query };
    }
    case 1:
      return {
        content: nacha(random.pick(ids), 25_00n),
        mediaType: 'text/plain',
        query: { account: 'fuzz-ach' },
      };
    case 2:
      return {
        content: bai2(payments.filter(({ currency }) => currency === undefined)),
        mediaType: 'text/plain',
        query: {},
      };
    default: {
      const form = {
        kind: random.pick(['052', '053', '054'] as const),
        version: random.pick([2, 4, 8, 14]),
      };
      return { content: camt(payments, form), mediaType: xml, query: {} };
    }
  }
}

/** Whether the request uploads a bank's file. */
export const isUpload = ({ method, path }: Pick<RequestParts, 'method' | 'path'>): boolean =>
  method === 'POST' && path.endsWith('/company/integration/statements');

/** Gives an upload the file of a bank, as its body or in a form. */
export function addFile(parts: RequestParts, ids: readonly string[], random: Random): void {
  const { content, mediaType, query } = validFile(ids, random);
  parts.query = [
    ...parts.query.filter(([name]) => name === 'dry_run' || name === 'direction'),
    ...Object.entries(query).map(([name, value]): [string, string] => [name, encodeURIComponent(value)]),
  ];
  const isForm = random.chance(0.3);
  const boundary = 'the-boundary-0';
  parts.headers = parts.headers.filter(([name]) => name !== 'Content-Type');
  parts.headers.push(['Content-Type', isForm ? `multipart/form-data; boundary=${boundary}` : mediaType]);
  const head = `Content-Disposition: form-data; name="file"; filename="statement"\r\nContent-Type: ${mediaType}`;
  parts.body = isForm
    ? { media: 'multipart', boundary, parts: [{ head, value: content }], end: `--${boundary}--\r\n` }
    : { media: 'bytes', bytes: Buffer.from(content) };
}
