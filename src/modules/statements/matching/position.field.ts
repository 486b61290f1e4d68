/** The position of a contribution's money, in the order of the rules. */
export const positions = [
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
