/**
 * Sets which tests run: all of them, or with the option `--part` only every nth row of each table
 * of samples. See test/support/full-run.ts.
 *
 * @param {string[]} options
 * @returns the other options
 */
export function takePart(options) {
  const others = options.filter((option) => option !== '--part');
  process.env.FULL_TEST_RUN = others.length < options.length ? 'part' : 'on';
  return others;
}
