import { setTimeout as delay } from 'node:timers/promises';

import { Counter, Gauge, type Registry } from 'prom-client';

import type { ExpiringKeyPairs } from '../modules/key-pairs/expiring-key-pairs.store';
import type { PendingContributions } from '../modules/contributions/pending-contributions.store';
import type { OpenPositionsStore } from '../modules/statements/open-positions.store';
import type { DeliveryReadingsStore } from '../modules/webhooks/delivery-readings.store';
import type { Clock } from '../shared/clock';
import { environmentKinds } from '../shared/scopes';

/** The values that these metrics read from the database, one statement each. */
export interface Readings {
  pendingContributions: () => Promise<PendingContributions[]>;
  expiringKeyPairs: () => Promise<ExpiringKeyPairs[]>;
  /** The age of the oldest change that is not yet added to the projects' figures, in seconds. */
  oldestFigureChangeAgeSeconds: () => Promise<number>;
  /** The age of the oldest event that is not in the feeds and has not failed, in seconds. */
  feedLagSeconds: () => Promise<number>;
  /** The number of queued events that the relay could not write to the feeds. */
  failedFeedEvents: () => Promise<number>;
  /** The age of `complete_until` of the totals, in seconds. */
  totalsAgeSeconds: () => Promise<number>;
  failingWebhookEndpoints: DeliveryReadingsStore['failing'];
  /** The age of the oldest event that waits for an endpoint that works, in seconds. */
  webhookLagSeconds: () => Promise<number>;
  /** The longest time in seconds since a running replay last sent an event. */
  longestReplayWaitSeconds: () => Promise<number>;
  /** The age of the oldest uploaded file that is not compared with contributions, in seconds. */
  oldestUnmatchedFileSeconds: () => Promise<number>;
  openPositions: OpenPositionsStore['counts'];
}

/** The database is read at most once in this time, regardless of the number of scrapes. */
const intervalMs = 60_000;
/** A slow database must not delay the other metrics of a scrape. */
const maxWaitMs = 1_000;

/**
 * Gauges of the whole installation. A scrape reads them from the database if the last reading is
 * too old. If the database is unavailable, they keep their last values, and the reading's timestamp
 * shows the age of those values.
 */
export function createReadingMetrics(registry: Registry, clock: Clock, readings: Readings): void {
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
  const failingEndpoints = new Gauge({
    name: 'contribution_failing_webhook_endpoints',
    help: 'Webhook endpoints of the installation with the status failing.',
    registers,
    collect: refresh,
  });
  const failingCompanies = new Gauge({
    name: 'contribution_failing_webhook_companies',
    help: 'Companies with a webhook endpoint in production that began to fail less than a day ago.',
    registers,
    collect: refresh,
  });
  const failedEvents = new Gauge({
    name: 'contribution_failed_feed_events',
    help: 'Queued events that could not be written to the feeds. They wait for another attempt, or for an operator.',
    registers,
    collect: refresh,
  });
  const readKeyPairs = createKeyPairGauge(registers, refresh, readings);
  const readContributions = createContributionGauges(registers, refresh, readings);
  const ages = createAges((name, help) => new Gauge({ name, help, registers, collect: refresh }));

  /**
   * Reads the tables of the coordinator first, because the other reads fail while a worker is down.
   */
  async function read(): Promise<void> {
    await readKeyPairs();
    ages.totals.set(await readings.totalsAgeSeconds());
    await readContributions();
    ages.figures.set(await readings.oldestFigureChangeAgeSeconds());
    ages.feeds.set(await readings.feedLagSeconds());
    failedEvents.set(await readings.failedFeedEvents());
    const failing = await readings.failingWebhookEndpoints();
    failingEndpoints.set(failing.endpoints);
    failingCompanies.set(failing.companies);
    ages.webhooks.set(await readings.webhookLagSeconds());
    ages.replays.set(await readings.longestReplayWaitSeconds());
    ages.statements.set(await readings.oldestUnmatchedFileSeconds());
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

/** @returns a function that reads the gauge from the database */
function createKeyPairGauge(
  registers: Registry[],
  collect: () => Promise<void>,
  readings: Readings,
): () => Promise<void> {
  const expiring = new Gauge({
    name: 'contribution_expiring_key_pairs',
    help: 'Active key pairs of the installation that expire within 7 days, by whether another pair replaces them.',
    labelNames: ['environment_kind', 'successor'],
    registers,
    collect,
  });
  return async () => {
    const expiringOf = new Map((await readings.expiringKeyPairs()).map((row) => [row.kind, row]));
    for (const kind of environmentKinds) {
      const { withSuccessor = 0, withoutSuccessor = 0 } = expiringOf.get(kind) ?? {};
      expiring.set({ environment_kind: kind, successor: 'yes' }, withSuccessor);
      expiring.set({ environment_kind: kind, successor: 'no' }, withoutSuccessor);
    }
  };
}

/**
 * Creates the gauges of pending and open contributions. Returns a function that reads them from the
 * database.
 */
function createContributionGauges(
  registers: Registry[],
  collect: () => Promise<void>,
  readings: Readings,
): () => Promise<void> {
  const pending = new Gauge({
    name: 'contribution_pending_transactions',
    help: 'Pending contributions of the installation by age.',
    labelNames: ['environment_kind', 'age'],
    registers,
    collect,
  });
  const openPositions = new Gauge({
    name: 'contribution_open_positions',
    help: 'Open positions of environments with bank statements, by the age of the contribution: 7_to_14_days, 14_to_30_days or over_30_days. Counted every 6 hours, up to 62 days back.',
    labelNames: ['environment_kind', 'age'],
    registers,
    collect,
  });
  return async () => {
    const pendingOf = new Map((await readings.pendingContributions()).map((row) => [row.kind, row]));
    const openOf = new Map((await readings.openPositions()).map((row) => [row.kind, row]));
    for (const kind of environmentKinds) {
      const { under1Hour = 0, over1Hour = 0, overdue = 0 } = pendingOf.get(kind) ?? {};
      pending.set({ environment_kind: kind, age: 'under_1_hour' }, under1Hour);
      pending.set({ environment_kind: kind, age: 'over_1_hour' }, over1Hour);
      pending.set({ environment_kind: kind, age: 'overdue' }, overdue);
      const { from7To14Days = 0, from14To30Days = 0, over30Days = 0 } = openOf.get(kind) ?? {};
      openPositions.set({ environment_kind: kind, age: '7_to_14_days' }, from7To14Days);
      openPositions.set({ environment_kind: kind, age: '14_to_30_days' }, from14To30Days);
      openPositions.set({ environment_kind: kind, age: 'over_30_days' }, over30Days);
    }
  };
}

/** The lag of each kind of derived data. */
const createAges = (create: (name: string, help: string) => Gauge) => ({
  figures: create(
    'contribution_project_figures_oldest_change_age_seconds',
    'Age of the oldest completion that is not yet added to the figures of its project; 0 if there is none.',
  ),
  feeds: create(
    'contribution_feed_lag_seconds',
    'Age of the oldest event that is not yet in the feeds and has not failed; 0 if there is none.',
  ),
  totals: create(
    'contribution_totals_age_seconds',
    'Time since the last moment up to which the totals of contributions are complete; 0 before the first count.',
  ),
  webhooks: create(
    'contribution_webhook_lag_seconds',
    'Age of the oldest event that waits for an enabled webhook endpoint that is not failing; 0 if there is none.',
  ),
  replays: create(
    'contribution_webhook_replay_wait_seconds',
    'Longest time for which a running replay has sent nothing although it was due; 0 if there is none.',
  ),
  statements: create(
    'contribution_statement_oldest_unmatched_age_seconds',
    'Age of the oldest uploaded statement that is not yet compared with contributions; 0 if there is none.',
  ),
});
