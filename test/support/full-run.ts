/**
 * `npm test` answers a contributor within minutes: every topic, and every rule about money, tenancy
 * and the contract. `npm run test:all` has everything: also the tests that wait, start processes or
 * repeat a rule with other inputs. They are declared with `longTest` or are in files that end in
 * .long.test.ts. With `--every-row`, it also runs all rows of a `sample`.
 */
export const isFullRun = process.env['FULL_TEST_RUN'] !== undefined;

/** A run with `--every-row`. The gate takes every nth row. */
export const takesAllRows = process.env['FULL_TEST_RUN'] === 'on';

const chosen = (): jest.It => (isFullRun ? test : test.skip);

/** `test` for the second set. Jest has a `test` for each file, but this module loads once. */
export const longTest = Object.assign(
  (...given: Parameters<jest.It>): void => {
    chosen()(...given);
  },
  { each: ((...table: Parameters<jest.Each>) => chosen().each(...table)) as jest.Each },
);

/** All rows with `--every-row`, every nth row in the gate, and a fifth of those in `npm test`. */
export function sample<const Row>(rows: readonly Row[], step: number): Row[] {
  const taken = takesAllRows ? 1 : isFullRun ? step : 5 * step;
  return rows.filter((_, index) => index % taken === 0);
}

/** The number of random cases that a test tries: a tenth of them in `npm test`. */
export const randomCases = (count: number): number => (isFullRun ? count : Math.ceil(count / 10));
