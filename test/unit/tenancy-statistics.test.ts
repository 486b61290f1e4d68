import { compare, median } from '../suites/tenancy-timing/statistics';

/** A measurement of about 1 ms with a long tail, as on a busy machine. */
const sample = (count: number, shift = 0): number[] =>
  Array.from({ length: count }, (_value, index) => {
    const fraction = ((index * 0.618_033_988_7) % 1) * 0.98 + 0.01;
    return 1_000 + shift - 100 * Math.log(1 - fraction);
  });

test('the median of an even and of an odd number of values', () => {
  expect([median([3, 1, 2]), median([4, 1, 3, 2])]).toEqual([2, 2.5]);
});

test('two equal groups cannot be distinguished', () => {
  expect(compare(sample(1_000), sample(1_000, 0.5), 100).areDistinguishable).toBe(false);
});

test('two groups that differ by a tenth of their noise can be distinguished', () => {
  expect(compare(sample(1_000), sample(1_000, 30), 100)).toMatchObject({ areDistinguishable: true });
});
