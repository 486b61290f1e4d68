/**
 * `npm test` runs every topic in about a minute. `npm run test:suite full` also runs the tests that
 * wait, start many processes or repeat much: those declared with `longTest`, all rows of a
 * `sample`, and files that end in .long.test.ts.
 */
export const isFullRun = process.env['FULL_TEST_RUN'] === 'on';

export const longTest = isFullRun ? test : test.skip;

/** All rows in a full run; otherwise every nth row, from the first. */
export function sample<Row>(rows: readonly Row[], step: number): Row[] {
  return isFullRun ? [...rows] : rows.filter((_, index) => index % step === 0);
}
