/**
 * `npm test` runs every topic. `npm run test:suite full` also runs the tests that wait, start many
 * processes or repeat much: those declared with `longTest`, files that end in .long.test.ts, and,
 * without `--part`, all rows of a `sample`.
 */
export const isFullRun = process.env['FULL_TEST_RUN'] !== undefined;

/** A full run without `--part`. The gate uses `--part`. */
export const takesAllRows = process.env['FULL_TEST_RUN'] === 'on';

export const longTest = isFullRun ? test : test.skip;

/** All rows in a full run without `--part`; otherwise every nth row, from the first. */
export function sample<Row>(rows: readonly Row[], step: number): Row[] {
  return takesAllRows ? [...rows] : rows.filter((_, index) => index % step === 0);
}
