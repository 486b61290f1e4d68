import { growthBytes } from './memory';

describe('memory growth', () => {
  test('is zero when memory rises during the warm-up only', () => {
    expect(growthBytes([10, 50, 100, 100, 101, 99, 100, 100, 100, 100])).toBe(0);
  });

  test('is detected when memory never stops rising', () => {
    expect(growthBytes(Array.from({ length: 50 }, (_, round) => round * 10))).toBeGreaterThan(300);
  });

  test('is not caused by one sample', () => {
    const samples = Array.from({ length: 50 }, () => 100);
    samples[48] = 900;
    expect(growthBytes(samples)).toBe(0);
  });
});
