/**
 * The exported series, minute by minute, with which each alert rule should fire. The notation is
 * that of `promtool test rules`: `0+5x30` is 0, 5, 10, … for 31 minutes.
 */
export interface Scenario {
  alert: string;
  /** When it fires; half an hour by default. */
  atMinutes?: number;
  /** Undefined: nothing exports the series. */
  series: Readonly<Record<string, string | undefined>>;
}

const production = 'environment_kind="production"';
const error = (code: string) => `contribution_http_errors_total{error_code="${code}"}`;
const requests = (status: number) =>
  `contribution_http_requests_total{route="/company/integration/get/projects", status="${status}"}`;
const pending = (age: string) => `contribution_pending_transactions{${production}, age="${age}"}`;
const completions = (outcome: string) =>
  `contribution_completions_total{${production}, outcome="${outcome}"}`;
const refusals = (reason: string) =>
  `contribution_database_refusals_total{reason="${reason}", instance="one"}`;
const failures = (reason: string) =>
  `contribution_database_statement_failures_total{statement="complete_transaction", reason="${reason}"}`;
const failuresOf = (reason: string) => failures(reason).replace('{', '{instance="one", ');
const duration = (part: string) =>
  `contribution_http_request_duration_seconds_${part}, route="/company/integration/get/projects", status="200"}`;
const failingCompanies = 'contribution_failing_webhook_companies';
const delivered = 'webhook_attempts_total{outcome="delivered"}';
const atOnce = '0x25 1x20';
const disputes = (kind: string, age: string) =>
  `contribution_open_disputes{${production}, kind="${kind}", age="${age}"}`;
const opened = '0x25 1x1000';

export const scenarios: readonly Scenario[] = [
  {
    alert: 'ContributionAmountMismatch',
    atMinutes: 28,
    series: { [disputes('amount_mismatch', 'under_1_day')]: opened },
  },
  {
    alert: 'ContributionAmountMismatch',
    atMinutes: 1_000,
    series: { [disputes('amount_mismatch', 'under_1_day')]: opened },
  },
  {
    alert: 'ContributionCompletionContested',
    series: { [disputes('contested_completion', 'under_1_day')]: opened },
  },
  {
    alert: 'ContributionCompletionRepeated',
    series: { [disputes('repeated_after_return', 'under_1_day')]: opened },
  },
  {
    alert: 'ContributionDisputesOpen',
    series: { [disputes('contested_completion', 'over_1_day')]: opened },
  },
  { alert: 'ContributionOutcomeUnknown', series: { [error('outcome_unknown')]: atOnce } },
  { alert: 'ContributionsOverdue', atMinutes: 70, series: { [pending('overdue')]: '1x80' } },
  {
    alert: 'ContributionCompletionsStopped',
    atMinutes: 480,
    series: { [completions('completed')]: '0+1x60 60x500', [pending('over_1_hour')]: '3x560' },
  },
  { alert: 'ContributionServiceDown', series: { 'up{job="contribution-service", instance="two"}': '0x40' } },
  {
    alert: 'ContributionServiceErrors',
    series: { [requests(200)]: '0+100x40', [requests(503)]: '0+2x40' },
  },
  { alert: 'ContributionInternalErrors', series: { [error('internal_error')]: atOnce } },
  { alert: 'ContributionInternalErrors', series: { contribution_uncaught_exceptions_total: atOnce } },
  {
    alert: 'ContributionServiceSlow',
    series: {
      [duration('bucket{le="0.5"')]: '0+60x40',
      [duration('bucket{le="1"')]: '0+70x40',
      [duration('bucket{le="+Inf"')]: '0+70x40',
      [duration('count{instance="one"')]: '0+70x40',
    },
  },
  { alert: 'ContributionEventLoopDelayed', series: { nodejs_eventloop_lag_p99_seconds: '0.3x40' } },
  { alert: 'ContributionMemoryHigh', series: { process_resident_memory_bytes: '1200000000x40' } },
  { alert: 'ContributionShutdownHangs', series: { contribution_shutting_down: '1x40' } },
  { alert: 'ContributionDatabaseUnreachable', series: { [refusals('unreachable')]: '0+2x40' } },
  { alert: 'ContributionDatabaseFull', series: { [failuresOf('no_room')]: atOnce } },
  { alert: 'ContributionDatabaseReadOnly', series: { [failuresOf('read_only')]: '0+12x40' } },
  { alert: 'ContributionPoolSaturated', series: { [refusals('acquire_timeout')]: '0+2x40' } },
  {
    alert: 'ContributionRequestsShed',
    series: { 'contribution_admission_shed_requests_total{class="creates", instance="one"}': '0+2x40' },
  },
  {
    alert: 'ContributionWritesRejected',
    series: { 'contribution_database_writes_rejected{instance="one"}': '1x40' },
  },
  { alert: 'ContributionNotReplicated', series: { [failures('not_replicated')]: atOnce } },
  { alert: 'ContributionStatementTimeouts', series: { [failures('timeout')]: '0+12x40' } },
  {
    alert: 'ContributionFiguresBehind',
    series: { contribution_project_figures_oldest_change_age_seconds: '0x10 660+60x40' },
  },
  { alert: 'ContributionFeedLag', series: { contribution_feed_lag_seconds: '0x10 60+60x40' } },
  { alert: 'ContributionFeedEventsFailed', series: { contribution_failed_feed_events: '0x10 1x40' } },
  { alert: 'ContributionTotalsBehind', series: { contribution_totals_age_seconds: '75x10 660+60x40' } },
  {
    alert: 'ContributionWebhooksFailing',
    atMinutes: 50,
    series: { contribution_failing_webhook_endpoints: '11x60' },
  },
  {
    alert: 'ContributionNoWebhooksDelivered',
    atMinutes: 45,
    series: { [failingCompanies]: '0x5 2x60', [delivered]: '0+6x5 30x60' },
  },
  {
    alert: 'ContributionWebhooksLate',
    series: { contribution_webhook_lag_seconds: '0x10 60+60x40' },
  },
  {
    alert: 'ContributionReplayStuck',
    atMinutes: 80,
    series: { contribution_webhook_replay_wait_seconds: '0x10 60+60x70' },
  },
  {
    alert: 'ContributionWebhooksExhausted',
    series: { 'webhook_attempts_total{outcome="exhausted"}': atOnce },
  },
  {
    alert: 'ContributionStatementsNotRead',
    series: { contribution_statement_oldest_unread_age_seconds: '0x10 960+60x40' },
  },
  {
    alert: 'ContributionStatementDaysFailed',
    atMinutes: 45,
    series: { contribution_statement_failed_days: '0x10 1x40' },
  },
  {
    alert: 'ContributionPositionsOpen',
    atMinutes: 90,
    series: { [`contribution_open_positions{${production}, age="14_to_30_days"}`]: '0x10 3x100' },
  },
  { alert: 'ContributionReadingsStale', series: { contribution_reading_timestamp_seconds: '60x40' } },
  { alert: 'ContributionSecretExposed', series: { [error('https_required')]: atOnce } },
  {
    alert: 'ContributionKeyPairsExpire',
    series: { [`contribution_expiring_key_pairs{${production}, successor="no"}`]: '1x40' },
  },
  { alert: 'ContributionRevocationsNotHeard', series: { contribution_revocation_listener_fresh: '0x40' } },
  { alert: 'ContributionPepperMissing', series: { [error('credentials_unverifiable')]: atOnce } },
  { alert: 'ContributionAuthenticationFailures', series: { [error('credentials_invalid')]: '0+120x40' } },
  {
    alert: 'ContributionPartnerThrottled',
    atMinutes: 40,
    series: { 'contribution_http_throttled_requests_total{policy="requests"}': '0+5x50' },
  },
];

/** The metrics of a busy and healthy process, including slow partners and callers. */
export const healthy: Readonly<Record<string, string>> = {
  [requests(200)]: '0+6000x600',
  [requests(404)]: '0+60x600',
  [requests(503)]: '0+1x600',
  'contribution_http_requests_total{route="/health/ready", status="503"}': '0+4x600',
  [error('credentials_invalid')]: '0+6x600',
  [error('resource_not_found')]: '0+60x600',
  [error('internal_error')]: '0x600',
  [completions('completed')]: '0+1x600',
  [completions('replayed')]: '0+1x600',
  [disputes('amount_mismatch', 'under_1_day')]: '0x600',
  [disputes('amount_mismatch', 'over_1_day')]: '0x600',
  [disputes('amount_mismatch', 'under_1_day').replace('production', 'test')]: '5x600',
  [disputes('contested_completion', 'over_1_day').replace('production', 'test')]: '5x600',
  [pending('over_1_hour')]: '20x600',
  [pending('overdue')]: '0x600',
  'contribution_pending_transactions{environment_kind="test", age="overdue"}': '100x600',
  [duration('bucket{le="0.5"')]: '0+5999x600',
  [duration('bucket{le="1"')]: '0+6000x600',
  [duration('bucket{le="+Inf"')]: '0+6000x600',
  [duration('count{instance="one"')]: '0+6000x600',
  'contribution_http_request_duration_seconds_bucket{le="0.5", route="/company/x", status="unanswered"}':
    '0x600',
  'contribution_http_request_duration_seconds_bucket{le="+Inf", route="/company/x", status="unanswered"}':
    '0+600x600',
  nodejs_eventloop_lag_p99_seconds: '0.02x600',
  process_resident_memory_bytes: '200000000x600',
  contribution_shutting_down: '0x600',
  [refusals('unreachable')]: '0x600',
  // Unauthenticated requests are rejected, and one partner exceeds its rate limit briefly.
  'contribution_admission_shed_requests_total{class="unverified", instance="one"}': '0+60x600',
  'contribution_admission_shed_requests_total{class="others", instance="one"}': '0x300 200x300',
  'contribution_database_writes_rejected{instance="one"}': '0x600',
  // Single connections are lost and replaced.
  'contribution_database_connections{state="late_reply", instance="one"}': '0x100 1x3 0x497',
  [failures('constraint')]: '0+60x600',
  [failuresOf('no_room')]: '0x600',
  // A failover: the connections to the old primary fail and are replaced.
  [failuresOf('read_only')]: '0x300 5x300',
  [failures('timeout')]: '0+1x600',
  contribution_reading_timestamp_seconds: '0+60x600',
  // A backlog that is processed within some minutes.
  contribution_project_figures_oldest_change_age_seconds: '75x100 135+60x6 75x490',
  contribution_feed_lag_seconds: '1x100 60x3 1x497',
  contribution_totals_age_seconds: '75x100 300x3 75x497',
  // Some partners' endpoints fail for long, and many for a moment.
  contribution_failing_webhook_endpoints: '3x100 20x20 3x480',
  [failingCompanies]: '3x600',
  [delivered]: '0+60x600',
  // A backlog that is delivered within some minutes.
  contribution_webhook_lag_seconds: '1x100 60+60x6 1x490',
  // A replay to an endpoint that was repaired after half an hour.
  contribution_webhook_replay_wait_seconds: '1x100 60+60x30 0x469',
  'webhook_attempts_total{outcome="failed"}': '0+60x600',
  contribution_statement_oldest_unread_age_seconds: '0x100 120x3 0x497',
  // A day that succeeds at its third attempt.
  contribution_statement_failed_days: '0x100 1x12 0x488',
  [`contribution_expiring_key_pairs{${production}, successor="yes"}`]: '2x600',
  [`contribution_expiring_key_pairs{${production}, successor="no"}`]: '0x600',
  contribution_revocation_listener_fresh: '1x600',
};

/**
 * A night without callers, with one slow failure in ten minutes and the broken receiver of one
 * partner. No alert may fire.
 */
export const quietNight: Readonly<Record<string, string>> = {
  [requests(503)]: '0x10 1x10 2x10 3x10 4x10 5x10 6x30',
  [duration('bucket{le="0.5"')]: '0x100',
  [duration('bucket{le="+Inf"')]: '0x10 1x10 2x10 3x10 4x10 5x10 6x30',
  [duration('count{instance="one"')]: '0x10 1x10 2x10 3x10 4x10 5x10 6x30',
  contribution_failing_webhook_endpoints: '10x100',
  [failingCompanies]: '1x100',
  [delivered]: '30x100',
};

/**
 * The database is away for a second, the one before minute 30: requests fail, and the next second
 * serves them. No alert may fire.
 */
export const shortOutage: Readonly<Record<string, string>> = {
  ...healthy,
  [requests(503)]: '0x29 100x60',
  [error('database_unavailable')]: '0x29 100x60',
  ...Object.fromEntries(
    ['unreachable', 'queue_full', 'acquire_timeout', 'writes_rejected'].map((reason) => [
      refusals(reason),
      '0x29 100x60',
    ]),
  ),
  'contribution_database_writes_rejected{instance="one"}': '0x29 1x0 0x60',
  [failures('timeout')]: '0x29 500x60',
  [failuresOf('read_only')]: '0x29 5x60',
  'contribution_admission_shed_requests_total{class="creates", instance="one"}': '0x29 50x60',
  'contribution_admission_shed_requests_total{class="others", instance="one"}': '0x29 50x60',
};
