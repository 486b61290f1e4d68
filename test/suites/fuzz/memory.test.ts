import { growthBytes } from './memory';

describe('the growth of memory', () => {
  test('is none when it rises during the warm-up only', () => {
    expect(growthBytes([10, 50, 100, 100, 101, 99, 100, 100, 100, 100])).toBe(0);
  });

  test('is found when it never stops', () => {
    expect(growthBytes(Array.from({ length: 50 }, (_, round) => round * 10))).toBeGreaterThan(300);
  });

  test('is not made by one sample', () => {
    const samples = Array.from({ length: 50 }, () => 100);
    samples[48] = 900;
    expect(growthBytes(samples)).toBe(0);
  });
});
