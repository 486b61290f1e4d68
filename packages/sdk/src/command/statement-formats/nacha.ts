import { byDay, type Entry, shortDate } from './entry.js';

/** The routing number of the simulated bank, without its check digit. */
const routing = '09100001';
const company = '1234567890';

const text = (value: string, length: number): string => value.slice(0, length).padEnd(length);
const number = (value: bigint | number, length: number): string => String(value).padStart(length, '0');
const trace = (at: number): string => routing + number(at, 7);

const fileHeader = (now: string): string =>
  `101 ${routing}9 ${routing}9${shortDate(now)}${now.slice(11, 16).replace(':', '')}A094101${text('SIMULATED BANK', 23)}${text('CUSTOMER', 23)}${text('', 8)}`;

const batchHeader = (day: string, batch: number): string =>
  `5225${text('SIMULATED BANK', 16)}${text('', 20)}${company}WEB${text('RETURNS', 10)}${text('', 6)}${shortDate(day)}   1${routing}${number(batch, 7)}`;

/** The two records of a return: the returned debit (26), and the addendum with the reason. */
function recordsOf({ cents, transaction_id: id = '', transfers }: Entry, at: number): string[] {
  const code = transfers[0]?.return_code ?? '';
  return [
    `626${routing}9${text('0001', 17)}${number(cents, 10)}${text(id, 15)}${text('', 22)}  1${trace(at)}`,
    `799${text(code, 3)}${trace(at)}${text('', 6)}${routing}${text('', 44)}${trace(at)}`,
  ];
}

/** The counts, the sum of the routing numbers and the total of debits of a batch or the file. */
interface Sums {
  entries: number;
  cents: bigint;
}
const hashOf = ({ entries }: Sums): string => number((BigInt(routing) * BigInt(entries)) % 10n ** 10n, 10);

/** The consecutive fields that records 8 and 9 share. A return has two records. */
const controls = (sums: Sums, length: number): string =>
  `${number(sums.entries * 2, length)}${hashOf(sums)}${number(sums.cents, 12)}${number(0, 12)}`;

/** The amount field has ten digits. */
const mostCents = 9_999_999_999n;

/** The returns among the entries as a NACHA file, with one batch for each day. */
export function nachaOf(entries: readonly Entry[], now: string): string {
  const lines = [fileHeader(now)];
  const all: Sums = { entries: 0, cents: 0n };
  const days = byDay(entries.filter(({ is_return: isReturn, cents }) => isReturn && cents <= mostCents));
  for (const [index, [day, returns]] of days.entries()) {
    const batch = index + 1;
    const cents = returns.reduce((sum, each) => sum + each.cents, 0n);
    lines.push(
      batchHeader(day, batch),
      ...returns.flatMap((each, at) => recordsOf(each, all.entries + at + 1)),
      `8225${controls({ entries: returns.length, cents }, 6)}${company}${text('', 25)}${routing}${number(batch, 7)}`,
    );
    all.entries += returns.length;
    all.cents += cents;
  }
  const blocks = Math.ceil((lines.length + 1) / 10);
  lines.push(`9${number(days.length, 6)}${number(blocks, 6)}${controls(all, 8)}${text('', 39)}`);
  // A block has ten records. Filler records complete the last block.
  const filler = Array.from({ length: blocks * 10 - lines.length }, () => '9'.repeat(94));
  return [...lines, ...filler, ''].join('\n');
}
