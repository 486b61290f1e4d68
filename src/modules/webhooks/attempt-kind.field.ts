/**
 * Why an event was sent: for the first time, again after a failure, or because a partner asked.
 * `fault`: the copy that a sandbox fault added.
 */
export const attemptKinds = ['first', 'retry', 'ping', 'resend', 'replay', 'fault'] as const;
export type AttemptKind = (typeof attemptKinds)[number];

/** How an attempt ended. `exhausted`: it failed, and no further one follows. */
export const attemptOutcomes = ['delivered', 'failed', 'exhausted'] as const;
export type AttemptOutcome = (typeof attemptOutcomes)[number];
