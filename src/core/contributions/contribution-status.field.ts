/**
 * The statuses of a contribution (specification 3). Callers treat an unknown status as not
 * completed.
 */
export const contributionStatuses = ['pending', 'completed'] as const;

export type ContributionStatus = (typeof contributionStatuses)[number];
