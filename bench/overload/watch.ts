import { setTimeout as delay } from 'node:timers/promises';

import { residentBytes } from '../measure/processor-time';

/** What a process used while something went on. */
export interface Watched {
  /** Resident memory, in order; empty where it cannot be known. */
  residentBytes: number[];
  /**
   * The worst 99th percentile of the delay of its event loop between two readings, in milliseconds.
   */
  eventLoopDelayP99: number | null;
}

/** Reads memory from /proc and the delay of the event loop from /metrics until the work is done. */
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
  // What is in the histogram of before is no part of it.
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

/** prom-client begins a new histogram with each reading. */
async function delayOf(metricsUrl: string): Promise<number | undefined> {
  const text = await fetch(metricsUrl).then(
    (answer) => answer.text(),
    () => '',
  );
  const seconds = /^nodejs_eventloop_lag_p99_seconds ([\d.e+-]+)$/m.exec(text)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
