/** The states of a replay, as partners see them. */
export const replayStatuses = ['running', 'completed', 'canceled', 'failed'] as const;
export type ReplayStatus = (typeof replayStatuses)[number];

/** How a replay ends, as the database stores it. */
export type ReplayOutcome = Exclude<ReplayStatus, 'running'>;

/** Which of the events a replay sends. */
export const replayOnly = ['all', 'exhausted'] as const;
export type ReplayOnly = (typeof replayOnly)[number];
