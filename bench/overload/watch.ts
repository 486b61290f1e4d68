import { setTimeout as delay } from 'node:timers/promises';

import { residentBytes } from '../measure/processor-time';

/** Resources that a process used during some work. */
export interface Watched {
  /** Resident memory in bytes, over time; empty if unknown. */
  residentBytes: number[];
  /** The highest p99 of the event loop delay between two readings, in milliseconds. */
  eventLoopDelayP99: number | null;
}

/** Reads memory from /proc and event loop delay from /metrics until the work is done. */
export async function watch<T>(
  processId: number,
  metricsUrl: string,
  work: Promise<T>,
  everyMs = 1_000,
): Promise<{ result: T; watched: Watched }> {
  const watched: Watched = { residentBytes: [], eventLoopDelayP99: null };
  const state = { isOver: false };
  const whole = work.finally(() => {
    state.isOver = true;
  });
  // Earlier observations in the histogram do not count.
  await delayOf(metricsUrl);
  while (!state.isOver) {
    await Promise.race([delay(everyMs), whole.catch(() => undefined)]);
    const resident = residentBytes(processId);
    if (resident !== undefined) watched.residentBytes.push(resident);
    const p99 = await delayOf(metricsUrl);
    if (p99 !== undefined) watched.eventLoopDelayP99 = Math.max(watched.eventLoopDelayP99 ?? 0, p99);
  }
  return { result: await whole, watched };
}

/** prom-client resets its histogram with each reading. */
async function delayOf(metricsUrl: string): Promise<number | undefined> {
  const text = await fetch(metricsUrl).then(
    (response) => response.text(),
    () => '',
  );
  const seconds = /^nodejs_eventloop_lag_p99_seconds ([\d.e+-]+)$/m.exec(text)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
