/** Outcomes that pay no contribution, until somebody decides about the entry. */
export const unexplainedOutcomes: readonly string[] = ['unknown', 'proposed', 'sums_differ', 'unreadable'];
