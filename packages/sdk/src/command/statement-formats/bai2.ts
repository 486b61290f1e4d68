import { accountNumber, type Entry, shortDate, statementDays } from './entry.js';

/** 142: ACH credit received. 557: ACH return item. */
const typeOf = ({ is_return: isReturn }: Entry): string => (isReturn ? '557' : '142');

/** The customer reference is the transaction id. The text is empty. */
const detailOf = (entry: Entry): string =>
  `16,${typeOf(entry)},${entry.cents},Z,${entry.bank_reference},${entry.transaction_id ?? ''},/`;

/** All entries as BAI2, version 2, with one group for each day. */
export function bai2Of(entries: readonly Entry[], now: string): string {
  const lines = [`01,SIMULATED,CUSTOMER,${shortDate(now)},${now.slice(11, 16).replace(':', '')},1,,,2/`];
  const days = statementDays(entries, now.slice(0, 10));
  let fileTotal = 0n;
  for (const { day, entries: ofDay, opening, closing } of days) {
    const total = ofDay.reduce((sum, { cents }) => sum + cents, opening + closing);
    lines.push(
      `02,CUSTOMER,SIMULATED,1,${shortDate(day)},,USD,2/`,
      `03,${accountNumber},USD,010,${opening},,,015,${closing},,/`,
      ...ofDay.map(detailOf),
      `49,${total},${ofDay.length + 2}/`,
      `98,${total},1,${ofDay.length + 4}/`,
    );
    fileTotal += total;
  }
  return [...lines, `99,${fileTotal},${days.length},${lines.length + 1}/`, ''].join('\n');
}
