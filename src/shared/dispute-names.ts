/** Completions that an operator must settle. The function disputed_events says what they are. */
export const disputeNames = ['amount_mismatch', 'contested_completion', 'repeated_after_return'] as const;
export type DisputeName = (typeof disputeNames)[number];
