import { setTimeout as delay } from 'node:timers/promises';

import { Counter, Gauge, type Registry } from 'prom-client';

import type { ExpiringKeyPairs } from '../modules/key-pairs/expiring-key-pairs.store';
import type { PendingContributions } from '../modules/contributions/pending-contributions.store';
import type { Clock } from '../shared/clock';
import { environmentKinds } from '../shared/scopes';

/** What only the database knows. Each is one statement. */
export interface Readings {
  pendingContributions: () => Promise<PendingContributions[]>;
  expiringKeyPairs: () => Promise<ExpiringKeyPairs[]>;
  /**
   * For how long the oldest change of the projects' figures has waited to be added up, in seconds.
   */
  oldestFigureChangeAgeSeconds: () => Promise<number>;
}

/**
 * However often and by however many somebody asks: the database is read no more than once in this
 * time.
 */
const lifetimeMs = 60_000;
/** A database that is away must not hold up what the process knows by itself. */
const mostWaitMs = 1_000;

/**
 * Gauges of the whole installation, read from the database when somebody asks for metrics and the
 * last reading is old. While the database does not answer they keep their last values, and the time
 * of that reading tells how old they are.
 */
export function createReadingMetrics(registry: Registry, clock: Clock, readings: Readings): void {
  const registers = [registry];
  const failures = new Counter({
    name: 'contribution_reading_failures_total',
    help: 'Readings of the database for these metrics that failed.',
    registers,
  });
  new Gauge({
    name: 'contribution_reading_timestamp_seconds',
    help: 'When the gauges that come from the database were last read (Unix time); 0: never.',
    registers,
    async collect() {
      await refresh();
      this.set(lastReadAt / 1000);
    },
  });
  const pending = new Gauge({
    name: 'contribution_pending_transactions',
    help: 'Pending contributions of the installation by age.',
    labelNames: ['environment_kind', 'age'],
    registers,
    collect: refresh,
  });
  const expiring = new Gauge({
    name: 'contribution_expiring_key_pairs',
    help: 'Live key pairs of the installation that expire within 7 days; with a successor another pair does the same for longer.',
    labelNames: ['environment_kind', 'successor'],
    registers,
    collect: refresh,
  });
  const figuresAge = new Gauge({
    name: 'contribution_project_figures_oldest_change_age_seconds',
    help: 'For how long the oldest completion has waited to be added to the figures of its project; 0: none waits.',
    registers,
    collect: refresh,
  });

  async function read(): Promise<void> {
    const pendingOf = new Map((await readings.pendingContributions()).map((row) => [row.kind, row]));
    const expiringOf = new Map((await readings.expiringKeyPairs()).map((row) => [row.kind, row]));
    for (const kind of environmentKinds) {
      const { under1Hour = 0, over1Hour = 0, overdue = 0 } = pendingOf.get(kind) ?? {};
      pending.set({ environment_kind: kind, age: 'under_1_hour' }, under1Hour);
      pending.set({ environment_kind: kind, age: 'over_1_hour' }, over1Hour);
      pending.set({ environment_kind: kind, age: 'overdue' }, overdue);
      const { withSuccessor = 0, withoutSuccessor = 0 } = expiringOf.get(kind) ?? {};
      expiring.set({ environment_kind: kind, successor: 'yes' }, withSuccessor);
      expiring.set({ environment_kind: kind, successor: 'no' }, withoutSuccessor);
    }
    figuresAge.set(await readings.oldestFigureChangeAgeSeconds());
    lastReadAt = clock.now().getTime();
  }

  let lastReadAt = 0;
  let lastTriedAt = -Infinity;
  let underWay: Promise<void> = Promise.resolve();
  /** All gauges of one scrape call this; the first reads, the others wait for it. */
  async function refresh(): Promise<void> {
    if (performance.now() - lastTriedAt >= lifetimeMs) {
      lastTriedAt = performance.now();
      underWay = read().catch(() => {
        failures.inc();
      });
    }
    await Promise.race([underWay, delay(mostWaitMs, undefined, { ref: false })]);
  }
}
