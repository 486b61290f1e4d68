/** A day in milliseconds. */
export const dayMs = 86_400_000;

/** Provides the time, so that tests can set it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
