/**
 * Why an event was sent. The service sends `first`, and `retry` after a failure or after the event
 * waited for an earlier one. A partner requests `ping`, `resend` and `replay`. A sandbox fault adds
 * the copy `fault`.
 */
export const attemptKinds = ['first', 'retry', 'ping', 'resend', 'replay', 'fault'] as const;
export type AttemptKind = (typeof attemptKinds)[number];

/** How an attempt ended. `exhausted`: it failed, and it was the last attempt. */
export const attemptOutcomes = ['delivered', 'failed', 'exhausted'] as const;
export type AttemptOutcome = (typeof attemptOutcomes)[number];
