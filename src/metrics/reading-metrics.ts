import { setTimeout as delay } from 'node:timers/promises';

import { Counter, Gauge, type Registry } from 'prom-client';

import type { Clock } from '../shared/clock';
import type { Reading } from './readings';

/** The database is read at most once in this time, regardless of the number of scrapes. */
const intervalMs = 60_000;
/** A slow database must not delay the other metrics of a scrape. */
const maxWaitMs = 1_000;

/**
 * Gauges of the whole installation. A scrape reads them from the database if the last reading is
 * too old. If the database is unavailable, they keep their last values, and the reading's timestamp
 * shows the age of those values.
 */
export function createReadingMetrics(registry: Registry, clock: Clock, readings: readonly Reading[]): void {
  const registers = [registry];
  const failures = new Counter({
    name: 'contribution_reading_failures_total',
    help: 'Failed attempts to read these metrics from the database.',
    registers,
  });
  new Gauge({
    name: 'contribution_reading_timestamp_seconds',
    help: 'When the gauges that come from the database were last read (Unix time); 0 means never.',
    registers,
    async collect() {
      await refresh();
      this.set(lastReadAt / 1000);
    },
  });
  const inOrder = readings.toSorted(
    (a, b) => Number(b.isOfInstallation ?? false) - Number(a.isOfInstallation ?? false),
  );
  const known = inOrder.map(({ gauges, read }) => ({
    gauges: gauges.map(
      ({ labelNames = [], ...gauge }) =>
        new Gauge({ ...gauge, labelNames: [...labelNames], registers, collect: refresh }),
    ),
    read,
  }));

  async function read(): Promise<void> {
    for (const { gauges, read: readOne } of known) {
      (await readOne()).forEach((samples, place) => {
        for (const { labels = {}, value } of samples) gauges[place]?.set(labels, value);
      });
    }
    lastReadAt = clock.now().getTime();
  }

  let lastReadAt = 0;
  let lastTriedAt = -Infinity;
  let currentRead: Promise<void> = Promise.resolve();
  /** Every gauge of a scrape calls this. The first call reads, and the other calls wait for it. */
  async function refresh(): Promise<void> {
    if (performance.now() - lastTriedAt >= intervalMs) {
      lastTriedAt = performance.now();
      currentRead = read().catch(() => {
        failures.inc();
      });
    }
    await Promise.race([currentRead, delay(maxWaitMs, undefined, { ref: false })]);
  }
}
