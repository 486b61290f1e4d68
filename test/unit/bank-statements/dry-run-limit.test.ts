import { createDryRunLimit } from '../../../src/features/bank-statements/uploads/dry-run-limit';
import { mostUploadsPerHour } from '../../../src/features/bank-statements/uploads/upload-limits.field';

test('a company gets rate_limited with Retry-After until its oldest dry run is an hour old', () => {
  let now = Date.parse('2026-12-01T12:00:00Z');
  const limit = createDryRunLimit(() => now);
  const countOne = (): void => {
    limit.count('company');
  };
  for (let count = 0; count < mostUploadsPerHour; count += 1) {
    limit.count('company');
    now += 30_000;
  }
  expect(countOne).toThrow(
    expect.objectContaining({ code: 'rate_limited', headers: { 'Retry-After': '1800' } }) as Error,
  );
  limit.count('another company');
  now += 1_800_000;
  limit.count('company');
  expect(countOne).toThrow('60 dry runs per hour');
});
