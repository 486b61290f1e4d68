export const dayStates = ['balanced', 'different', 'not_checked'] as const;

/** Without a range, the days that are judged: enough for the last month and this one. */
export const latestDays = 62;
