/**
 * Sets which tests run: the long ones too, and with the option `--every-row` all rows of each table
 * of samples. See test/support/full-run.ts.
 *
 * @param {string[]} options
 * @returns the other options
 */
export function takeRows(options) {
  const others = options.filter((option) => option !== '--every-row');
  process.env.FULL_TEST_RUN = others.length < options.length ? 'on' : 'part';
  return others;
}
