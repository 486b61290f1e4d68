/** A transfer of the simulated bank for one contribution. */
export interface Transfer {
  transaction_id: string;
  bank_reference: string;
  /** Dollars with two decimals. */
  amount: string;
  /** As YYYY-MM-DD. */
  value_date: string;
  /** The NACHA code, if this transfer is a return. */
  return_code?: string;
}

export interface BookedTransfer extends Transfer {
  /** When the bank booked it, in UTC. */
  booked_at: string;
}

/** A line of a statement. It has one transfer, or several with the same reference. */
export interface Entry {
  bank_reference: string;
  /**
   * The contribution. Undefined if the transfer pays several: it then states its reference only.
   */
  transaction_id: string | undefined;
  cents: bigint;
  is_return: boolean;
  /** As YYYY-MM-DD. */
  booking_date: string;
  value_date: string;
  transfers: readonly BookedTransfer[];
}

export const accountNumber = 'SIMULATED-BANK';

export const centsOf = (amount: string): bigint => BigInt(amount.replace('.', ''));

export const amountOf = (cents: bigint): string =>
  String(cents)
    .padStart(3, '0')
    .replace(/(\d\d)$/, '.$1');

function groupBy<Item>(items: Iterable<Item>, keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Groups transfers into entries, in the order of their booking. */
export function entriesOf(transfers: Iterable<BookedTransfer>): Entry[] {
  const groups = groupBy(transfers, ({ bank_reference: reference }) => reference);
  return [...groups].map(([reference, group]) => {
    const [first] = group as [BookedTransfer];
    return {
      bank_reference: reference,
      transaction_id: isJoint(reference) ? undefined : first.transaction_id,
      cents: group.reduce((sum, { amount }) => sum + centsOf(amount), 0n),
      is_return: first.return_code !== undefined,
      booking_date: first.booked_at.slice(0, 10),
      value_date: first.value_date,
      transfers: group,
    };
  });
}

const jointPrefix = 'BANK-TOGETHER-';

/** The reference of a transfer that pays several contributions. */
export const jointReference = (time: Date): string =>
  jointPrefix + time.toISOString().replace(/\D/g, '').slice(0, 17);

export const isJoint = (reference: string): boolean => reference.startsWith(jointPrefix);

/** Incoming minus returned money, in cents. */
export const balanceOf = (entries: readonly Entry[]): bigint =>
  entries.reduce((sum, { cents, is_return: isReturn }) => sum + (isReturn ? -cents : cents), 0n);

/** The entries of each day, in order. */
export const byDay = (entries: readonly Entry[]): [day: string, entries: Entry[]][] =>
  [...groupBy(entries, ({ booking_date: day }) => day)].sort(([one], [other]) => (one < other ? -1 : 1));

/** A day of an account. Amounts are in cents. */
export interface StatementDay {
  /** From 1. */
  number: number;
  /** As YYYY-MM-DD. */
  day: string;
  entries: readonly Entry[];
  opening: bigint;
  closing: bigint;
}

const nextDay = (day: string): string => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);

/**
 * Each day from the first one with an entry to the last one, at least until `to`. Days without
 * entries are among them, so that each day opens with the closing balance of the day before.
 */
export function statementDays(entries: readonly Entry[], to: string, from: string = to): StatementDay[] {
  const days = new Map(byDay(entries));
  const known = [...days.keys(), from, to].sort();
  const all: StatementDay[] = [];
  let opening = 0n;
  for (let day = known[0] ?? to; day <= (known.at(-1) ?? to); day = nextDay(day)) {
    const ofDay = days.get(day) ?? [];
    const closing = opening + balanceOf(ofDay);
    all.push({ number: all.length + 1, day, entries: ofDay, opening, closing });
    opening = closing;
  }
  return all;
}

/** YYMMDD, as BAI2 and NACHA write a date. */
export const shortDate = (date: string): string => date.slice(2, 10).replaceAll('-', '');
