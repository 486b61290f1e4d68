/** The positions of a contribution's money, in the order in which their rules apply. */
export const positions = [
  'completed_by_another',
  'returned_without_credit',
  'waiting',
  'completed_without_money',
  'unconfirmed',
  'returned',
  'partially_returned',
  'short',
  'duplicate',
  'over',
  'money_without_completion',
  'matched',
] as const;

export type Position = (typeof positions)[number];
