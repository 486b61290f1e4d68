/** Outcomes of entries that pay no contribution until there is a decision on them. */
export const unexplainedOutcomes: readonly string[] = ['unknown', 'proposed', 'sums_differ', 'unreadable'];
