/** Returned money, as a statement or a recorded return states it. */
export interface ReturnedMoney {
  cents: bigint;
  reference: string | null;
}

/** A return that was recorded with the service. */
export interface RecordedReturn extends ReturnedMoney {
  /** Money that came back after the return. */
  undone: readonly ReturnedMoney[];
}

/** Removes the first element that satisfies the condition. Returns whether there was one. */
function take<Value>(values: Value[], condition: (value: Value) => boolean): boolean {
  const at = values.findIndex(condition);
  if (at >= 0) values.splice(at, 1);
  return at >= 0;
}

const isSame = (one: ReturnedMoney, other: ReturnedMoney): boolean =>
  one.reference !== null && one.reference === other.reference && one.cents === other.cents;

/**
 * The sum of a contribution's recorded returns that are in no statement. A bank may report the same
 * return in its statement and with a request, but it must count once. Equal bank references join
 * the two. Banks also write different references in the two places, so the rest is joined by equal
 * amounts. If the totals are equal, they are the same money in other portions.
 *
 * A return that was undone does not count. But if a statement contains the money that came back,
 * that money counts as a payment, and the return counts too.
 *
 * @param paid the payments in statements
 * @returns cents
 */
export function returnedElsewhere(
  stated: readonly ReturnedMoney[],
  recorded: readonly RecordedReturn[],
  paid: readonly ReturnedMoney[],
): bigint {
  const sum = (values: readonly ReturnedMoney[]): bigint =>
    values.reduce((total, { cents }) => total + cents, 0n);
  if (sum(stated) === sum(recorded)) return 0n;
  const left = [...stated];
  const unnamed = recorded.filter((one) => !take(left, (other) => isSame(one, other)));
  const payments = [...paid];
  return unnamed
    .filter(({ cents }) => !take(left, (other) => other.cents === cents))
    .reduce((total, { cents, undone }) => {
      const unstated = undone.filter((one) => !take(payments, (other) => isSame(one, other)));
      return total + cents - sum(unstated);
    }, 0n);
}
