/** What the groups of the totals have in common. */
export const totalsKeys = ['day', 'project', 'company', 'status'] as const;
export type TotalsKey = (typeof totalsKeys)[number];

/** The date that decides whether a contribution is in the range, and in which day it counts. */
export const totalsBases = ['created', 'completed', 'value_date'] as const;
export type TotalsBasis = (typeof totalsBases)[number];
