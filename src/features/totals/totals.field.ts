/** The keys by which totals can be grouped. */
export const totalsKeys = ['day', 'project', 'company', 'status'] as const;
export type TotalsKey = (typeof totalsKeys)[number];

/**
 * The date of a contribution that decides whether it is in the range, and to which day it belongs.
 */
export const totalsBases = ['created', 'completed', 'value_date'] as const;
export type TotalsBasis = (typeof totalsBases)[number];
