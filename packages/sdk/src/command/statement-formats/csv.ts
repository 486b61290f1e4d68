import type { CsvMapping } from '../../resources/statements.js';
import { amountOf, type Entry } from './entry.js';

/** How to read the columns. Send it as `mapping` with the file. */
export const csvMapping: CsvMapping = {
  date: 'Date',
  amount: 'Amount',
  currency: 'Currency',
  bank_reference: 'Reference',
  texts: ['Description'],
};

const rowOf = (entry: Entry): string =>
  [
    entry.booking_date,
    (entry.is_return ? '-' : '') + amountOf(entry.cents),
    'USD',
    entry.bank_reference,
    entry.transaction_id ?? '',
  ].join(',');

/** All entries as CSV. The file names no account and has no balances. */
export const csvOf = (entries: readonly Entry[]): string =>
  ['Date,Amount,Currency,Reference,Description', ...entries.map(rowOf), ''].join('\n');

/** The limits of one upload of settlement lists. */
const mostLists = 500;
const mostLines = 10_000;

/**
 * The settlement lists of the transfers that pay several contributions. Uses as few files as the
 * limits allow, and none if there is no such transfer.
 */
export function settlementsOf(entries: readonly Entry[]): string[] {
  const files: string[][] = [];
  let lists = mostLists;
  for (const entry of entries.filter(({ transaction_id: id }) => id === undefined)) {
    const lines = entry.transfers.map(
      ({ transaction_id: id, amount }) => `${entry.bank_reference},${id},${amount}`,
    );
    const file = files.at(-1);
    if (file && lists < mostLists && file.length + lines.length <= mostLines) {
      file.push(...lines);
      lists += 1;
    } else {
      files.push(['reference,transaction_id,amount', ...lines]);
      lists = 1;
    }
  }
  return files.map((lines) => `${lines.join('\n')}\n`);
}
