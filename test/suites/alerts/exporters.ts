import type { Sample } from '../../support/metrics';

/**
 * What the rules and the runbook use of standard exporters, with the labels of each metric and a
 * value that fires nothing. A test compares the names with those of a running postgres_exporter.
 */
const postgres = { job: 'contribution-postgres', instance: 'db' };
const certificates = { job: 'contribution-certificates', instance: 'https://api.example/health/live' };

interface Exporter extends Omit<Sample, 'value'> {
  /** In the notation of promtool. */
  values: string;
}

export const fromExporters: readonly Exporter[] = [
  { name: 'up', labels: postgres, values: '1x1100' },
  { name: 'pg_up', labels: postgres, values: '1x1100' },
  { name: 'pg_stat_archiver_failed_count', labels: postgres, values: '0x300 3x800' },
  { name: 'pg_stat_archiver_last_archive_age', labels: postgres, values: '60x1100' },
  // A base backup runs for hours, and its connection confirms nothing.
  ...['standby1', 'pg_basebackup'].map((name) => ({
    name: 'pg_stat_replication_pg_wal_lsn_diff',
    labels: { ...postgres, application_name: name, state: 'streaming' },
    values: name === 'standby1' ? '1000x100 400000000x5 1000x995' : '400000000x1100',
  })),
  {
    name: 'pg_replication_slots_pg_wal_lsn_diff',
    labels: { ...postgres, slot_name: 'standby1' },
    values: '1000x1100',
  },
  ...['active', 'idle'].map((state) => ({
    name: 'pg_stat_activity_count',
    labels: { ...postgres, datname: 'contribution', state },
    values: '30x1100',
  })),
  { name: 'pg_settings_max_connections', labels: postgres, values: '100x1100' },
  {
    name: 'pg_database_wraparound_age_datfrozenxid_seconds',
    labels: { ...postgres, datname: 'contribution' },
    values: '200000000x1100',
  },
  { name: 'pg_replication_is_replica', labels: postgres, values: '0x1100' },
  // A standby that was the primary does not archive.
  {
    name: 'pg_stat_archiver_last_archive_age',
    labels: { ...postgres, instance: 'standby' },
    values: '60+60x1100',
  },
  {
    name: 'pg_replication_is_replica',
    labels: { ...postgres, instance: 'standby' },
    values: '1x1100',
  },
  { name: 'up', labels: certificates, values: '1x1100' },
  { name: 'probe_success', labels: certificates, values: '1x300 0x1 1x800' },
  { name: 'probe_ssl_earliest_cert_expiry', labels: certificates, values: '2000000x1100' },
  ...['backup', 'verify'].map((task) => ({
    name: 'contribution_task_last_success_timestamp_seconds',
    labels: { task },
    values: '0x1100',
  })),
];

/** In promtool's notation: `name{label="value"}`. */
export const seriesOf = ({ name, labels }: Omit<Exporter, 'values'>): string =>
  `${name}{${Object.entries(labels)
    .map(([label, value]) => `${label}="${value}"`)
    .join(', ')}}`;

/** The samples that a Prometheus with all exporters has in addition to the service's own. */
export const samplesOfExporters: readonly Sample[] = fromExporters.map(({ name, labels }) => ({
  name,
  labels,
  value: 0,
}));

/** The series of healthy servers, which no rule may fire on. */
export const healthyServers: Readonly<Record<string, string>> = Object.fromEntries(
  fromExporters.map((exporter) => [seriesOf(exporter), exporter.values]),
);

/** Replaces the values of a metric in `healthyServers`. With undefined, nothing exports it. */
function serversWith(
  name: string,
  values: string | undefined,
  label: Readonly<Record<string, string>> = {},
): Record<string, string | undefined> {
  const matching = fromExporters.filter(
    (exporter) =>
      exporter.name === name && Object.entries(label).every(([key, value]) => exporter.labels[key] === value),
  );
  if (matching.length === 0) throw new Error(`no metric ${name}`);
  return Object.fromEntries(matching.map((exporter) => [seriesOf(exporter), values]));
}

export const serverScenarios = [
  { alert: 'ContributionServerNotWatched', series: serversWith('pg_up', undefined) },
  { alert: 'ContributionServerNotWatched', series: serversWith('pg_up', '0x100') },
  { alert: 'ContributionServerNotWatched', series: serversWith('up', '0x100', postgres) },
  { alert: 'ContributionServerNotWatched', series: serversWith('probe_success', undefined) },
  {
    alert: 'ContributionServerNotWatched',
    series: serversWith('pg_database_wraparound_age_datfrozenxid_seconds', undefined),
  },
  { alert: 'ContributionNotReachable', series: serversWith('probe_success', '1x20 0x100') },
  {
    alert: 'ContributionCertificateExpires',
    atMinutes: 90,
    series: serversWith('probe_ssl_earliest_cert_expiry', '1200000x100'),
  },
  {
    alert: 'ContributionWalNotArchived',
    series: serversWith('pg_stat_archiver_failed_count', '0x10 3+3x60'),
  },
  {
    alert: 'ContributionWalNotArchived',
    series: serversWith('pg_stat_archiver_last_archive_age', '60x10 900+60x60', postgres),
  },
  {
    alert: 'ContributionStandbyBehind',
    series: serversWith('pg_stat_replication_pg_wal_lsn_diff', '0x10 300000000x60', {
      application_name: 'standby1',
    }),
  },
  {
    alert: 'ContributionSlotKeepsWal',
    series: serversWith('pg_replication_slots_pg_wal_lsn_diff', '0x10 5000000000x60'),
  },
  {
    alert: 'ContributionConnectionsNearLimit',
    series: serversWith('pg_stat_activity_count', '30x10 45x60'),
  },
  {
    alert: 'ContributionTransactionIdsOld',
    atMinutes: 90,
    series: serversWith('pg_database_wraparound_age_datfrozenxid_seconds', '600000000x100'),
  },
  ...(['Backup', 'Verify'] as const).flatMap((name) => {
    const task = { task: name.toLowerCase() };
    const metric = 'contribution_task_last_success_timestamp_seconds';
    return [
      { alert: `Contribution${name}Old`, atMinutes: 1_000, series: serversWith(metric, '-36000x1100', task) },
      { alert: `Contribution${name}Old`, series: serversWith(metric, undefined, task) },
    ];
  }),
];
