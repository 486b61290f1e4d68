/** A return, in a statement or as recorded with the service. */
export interface ReturnedMoney {
  cents: bigint;
  reference: string | null;
}

/** A return that was recorded with the service. */
export interface RecordedReturn extends ReturnedMoney {
  /** `cents`, minus what was undone. */
  netCents: bigint;
}

/** Removes the first element that satisfies the condition. */
function take<Value>(values: Value[], condition: (value: Value) => boolean): boolean {
  const at = values.findIndex(condition);
  if (at >= 0) values.splice(at, 1);
  return at >= 0;
}

/**
 * The recorded returns of a contribution that its statements do not have. A bank reports the same
 * return in its statement and with a request, and it must count once. The bank's reference joins
 * both. Banks also write different references in the two places, so the rest is joined by equal
 * amounts. Equal totals are the same money in other portions.
 *
 * @returns cents
 */
export function returnedElsewhere(
  stated: readonly ReturnedMoney[],
  recorded: readonly RecordedReturn[],
): bigint {
  const sum = (values: readonly ReturnedMoney[]): bigint =>
    values.reduce((total, { cents }) => total + cents, 0n);
  if (sum(stated) === sum(recorded)) return 0n;
  const left = [...stated];
  const unnamed = recorded.filter(
    ({ reference, cents }) =>
      !take(
        left,
        (other) => other.reference !== null && other.reference === reference && other.cents === cents,
      ),
  );
  return unnamed
    .filter(({ cents }) => !take(left, (other) => other.cents === cents))
    .reduce((total, { netCents }) => total + netCents, 0n);
}
