/**
 * `npm test` runs every topic. `npm run test:suite full` also runs the tests that wait, start many
 * processes or repeat much. They are declared with `longTest` or are in files that end in
 * .long.test.ts. Without `--part`, it also runs all rows of a `sample`.
 */
export const isFullRun = process.env['FULL_TEST_RUN'] !== undefined;

/** A full run without `--part`. The gate uses `--part`. */
export const takesAllRows = process.env['FULL_TEST_RUN'] === 'on';

export const longTest = isFullRun ? test : test.skip;

/** All rows in a full run without `--part`; otherwise every nth row, from the first. */
export function sample<Row>(rows: readonly Row[], step: number): Row[] {
  return takesAllRows ? [...rows] : rows.filter((_, index) => index % step === 0);
}
