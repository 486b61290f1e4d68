/**
 * `npm test` answers a contributor within minutes: every topic, and every rule about money, tenancy
 * and the contract. `npm run test:all` has everything: also the tests that wait, start processes or
 * repeat a rule with other inputs. They are declared with `longTest` or are in files that end in
 * .long.test.ts. With `--every-row`, it also runs all rows of a `sample`.
 */
export const isFullRun = process.env['FULL_TEST_RUN'] !== undefined;

/** A run with `--every-row`. The gate takes every nth row. */
export const takesAllRows = process.env['FULL_TEST_RUN'] === 'on';

export const longTest = isFullRun ? test : test.skip;

/** All rows with `--every-row`; otherwise every nth row, from the first. */
export function sample<Row>(rows: readonly Row[], step: number): Row[] {
  return takesAllRows ? [...rows] : rows.filter((_, index) => index % step === 0);
}
