/** A return, in a statement or as recorded with the service. */
export interface ReturnedMoney {
  cents: bigint;
  reference: string | null;
}

/** A return that was recorded with the service. */
export interface RecordedReturn extends ReturnedMoney {
  /** Money that came back afterwards. */
  undone: readonly ReturnedMoney[];
}

/** Removes the first element that satisfies the condition. */
function take<Value>(values: Value[], condition: (value: Value) => boolean): boolean {
  const at = values.findIndex(condition);
  if (at >= 0) values.splice(at, 1);
  return at >= 0;
}

const isSame = (one: ReturnedMoney, other: ReturnedMoney): boolean =>
  one.reference !== null && one.reference === other.reference && one.cents === other.cents;

/**
 * The recorded returns of a contribution that its statements do not have. A bank reports the same
 * return in its statement and with a request, and it must count once. The bank's reference joins
 * both. Banks also write different references in the two places, so the rest is joined by equal
 * amounts. Equal totals are the same money in other portions.
 *
 * A return that was undone no longer counts, unless a statement has the money that came back: it is
 * then one of the payments, and the return counts.
 *
 * @param paid the payments that statements have
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
