import type { z } from 'zod';

import { dayMs } from '../../shared/clock';
import { requiredDate } from './fields';

/** The longest range of days. */
export const mostDays = 366;

/** The query of an operation that returns something for each day of a range. */
export const dayRange = {
  from: requiredDate('The first day.', '2026-11-01'),
  to: requiredDate(`The day after the last day, at most ${mostDays} days after \`from\`.`, '2026-12-01'),
};

export function daysInOrder({ from, to }: { from?: string; to?: string }, context: z.RefinementCtx): void {
  // An invalid date is reported for the date itself, not for the range.
  if (from === undefined || to === undefined) return;
  const days = (Date.parse(to) - Date.parse(from)) / dayMs;
  if (days >= 1 && days <= mostDays) return;
  context.addIssue({
    code: 'custom',
    path: ['to'],
    message: `Send a date after from, and at most ${mostDays} days later.`,
    params: { code: 'out_of_range' },
  });
}
