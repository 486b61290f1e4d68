// Generated from docs/openapi.json. Run: npm run generate

export const version = '0.1.0';

/** The error codes of this version. Later versions may add codes. */
export type KnownCode =
  | 'invalid_request'
  | 'malformed_body'
  | 'malformed_http'
  | 'credentials_malformed'
  | 'credentials_invalid'
  | 'https_required'
  | 'scope_missing'
  | 'environment_not_served'
  | 'company_suspended'
  | 'completion_reserved_for_bank'
  | 'sandbox_only'
  | 'return_reserved'
  | 'correction_reserved'
  | 'path_not_found'
  | 'resource_not_found'
  | 'transaction_not_found'
  | 'return_not_found'
  | 'event_not_found'
  | 'webhook_endpoint_not_found'
  | 'webhook_replay_not_found'
  | 'statement_not_found'
  | 'statement_account_not_found'
  | 'statement_entry_not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'completed_by_another'
  | 'amount_mismatch'
  | 'project_not_accepting'
  | 'contribution_has_returns'
  | 'correction_ambiguous'
  | 'contribution_not_completed'
  | 'return_exceeds_amount'
  | 'return_reference_reused'
  | 'webhook_url_taken'
  | 'webhook_endpoint_limit'
  | 'webhook_endpoint_unverified'
  | 'webhook_replay_running'
  | 'statement_options_differ'
  | 'decision_not_applicable'
  | 'month_closed'
  | 'question_changed'
  | 'decision_superseded'
  | 'sandbox_conflict'
  | 'events_expired'
  | 'feed_restarted'
  | 'body_too_large'
  | 'unsupported_media_type'
  | 'project_not_found'
  | 'idempotency_key_reused'
  | 'webhook_url_not_allowed'
  | 'statement_unreadable'
  | 'rate_limited'
  | 'authentication_throttled'
  | 'headers_too_large'
  | 'internal_error'
  | 'outcome_unknown'
  | 'webhooks_not_configured'
  | 'credentials_unverifiable'
  | 'company_frozen'
  | 'database_unavailable'
  | 'database_full'
  | 'database_timeout'
  | 'overloaded'
  | 'shutting_down';

/** The codes of entries in `errors`. Later versions may add codes. */
export type KnownInputCode =
  | 'required'
  | 'invalid_type'
  | 'invalid_format'
  | 'invalid_length'
  | 'out_of_range'
  | 'unsupported_value'
  | 'duplicate'
  | 'unknown_parameter'
  | 'file_not_allowed'
  | 'not_found';

export interface Project {
  project_id: number;
  project_name: string;
  project_image_url: string;
  /** True if the user supports this project. False without `user_hash` */
  is_supported: boolean;
  has_stories: boolean;
  /** True if the user has not viewed all stories of this project. Equals `has_stories` without `user_hash` */
  has_unviewed_stories: boolean;
  summary: string;
  category: string | null;
  /** ISO 3166-1 alpha-2 code */
  country: string | null;
  organization: string | null;
  /** Amount in US dollars, with two decimals */
  goal_amount: string | null;
  /** Sum of completed contributions minus returns, in US dollars with two decimals. In production it includes all companies; in test, only your own environment. Updates take about a minute */
  raised_amount: string;
  /** Number of users who support the project, from the same environments as `raised_amount` */
  supporters_count: number;
  status: 'active' | 'archived' | (string & {});
  created_at: string;
  updated_at: string;
}

export interface Highlight {
  title: string;
  body: string;
  image_url: string | null;
}

export interface ProjectSummary {
  /** Unique identifier of the project */
  project_id: number;
  /** Name of the project */
  project_name: string;
  /** URL of the project's image */
  project_image_url: string;
  /** True if the user supports this project */
  is_supported: boolean;
  /** True if the project has stories */
  has_stories: boolean;
  /** True if the user has not viewed all stories of this project */
  has_unviewed_stories: boolean;
}

export interface Story {
  story_id: number;
  title: string;
  body: string;
  image_url: string | null;
  published_at: string;
  /** True if the user has viewed the story. False without `user_hash` */
  is_viewed: boolean;
}

export interface CompletionOutcome {
  /** The number of the line in the file, from 1 */
  line: number;
  /** The id of the line, or null if the line has none */
  transaction_id: string | null;
  /** `replayed`: you had already completed the contribution, and nothing changed. `unknown`: the contribution may or may not be completed, so send the line again */
  outcome: 'completed' | 'replayed' | 'refused' | 'unknown' | (string & {});
  /** The error code of a line that is refused or unknown: the code that a single completion gets */
  code: KnownCode | (string & {}) | null;
  /** Why a line is refused or unknown */
  detail: string | null;
  /** The invalid members of a line with `invalid_request` */
  errors?: {
    code:
      | 'required'
      | 'invalid_type'
      | 'invalid_format'
      | 'invalid_length'
      | 'out_of_range'
      | 'unsupported_value'
      | 'duplicate'
      | 'unknown_parameter'
      | 'file_not_allowed'
      | 'not_found'
      | (string & {});
    detail: string;
    pointer: string;
  }[];
}

export interface CompletionSummary {
  summary: {
    /** Completions in the file. Empty lines and the header of a CSV file do not count */
    lines: number;
    /** Contributions that this file completed */
    completed: number;
    /** Contributions that you had already completed */
    replayed: number;
    /** Lines that completed nothing */
    refused: number;
    /** Lines whose contribution may or may not be completed. Send them again */
    unknown: number;
    /** SHA-256 of the file that the service read, in hexadecimal digits */
    sha256: string;
  };
}

export interface Contribution {
  /** Unique identifier of the contribution */
  transaction_id: string;
  /** The company that created the contribution */
  company_id: string;
  company_name: string;
  /** More values may be added. Treat an unknown value as not completed. */
  status: 'pending' | 'completed' | (string & {});
  project_id: number;
  /** Amount in US dollars, with two decimals */
  amount: string;
  currency: 'USD' | (string & {});
  /** Sum of all returns, minus undos */
  returned_amount: string;
  /** `amount` minus `returned_amount`; 0.00 while the completion is corrected */
  net_amount: string;
  created_at: string;
  completed_at: string | null;
  /** When the completion was taken back. Null again after the next completion */
  corrected_at: string | null;
  /** Whether your environment completed the contribution. False while it is pending */
  completed_by_you: boolean;
  bank_reference: string | null;
  value_date: string | null;
  /** Visible only to the company that created the contribution. Null after the operator deletes the user's hash and name */
  user_hash?: string | null;
  /** Visible only to the company that created the contribution */
  name?: string | null;
  /** Visible only to the company that created the contribution */
  idempotency_key?: string | null;
}

export interface Link {
  /** The role of the other company. A `bank` completes your contributions. You complete those of a `company`. */
  role: 'bank' | 'company' | (string & {});
  company_id: string;
  company_name: string;
  /** When the link started */
  linked_at: string;
}

export interface Me {
  company: {
    company_id: string;
    company_name: string;
    /** A `suspended` company cannot create contributions. All other operations work. */
    status: 'active' | 'suspended' | (string & {});
  };
  environment: 'production' | 'test' | (string & {});
  /** The first characters of the `transaction_id` of every contribution of this environment */
  transaction_id_prefix: string;
  key_pair: {
    api_key: string;
    scopes: (
      | 'projects:read'
      | 'contributions:create'
      | 'contributions:read'
      | 'contributions:complete'
      | 'contributions:return'
      | 'events:read'
      | 'webhooks:manage'
      | 'statements:read'
      | 'statements:write'
      | 'reconciliation:resolve'
      | 'sandbox'
      | (string & {})
    )[];
    created_at: string;
    /** When the pair stops working; null if it does not expire */
    expires_at: string | null;
  };
  /** The first 100 bank links, oldest first. If `has_more` is true, read `GET /links`. Null if the pair lacks the scope `contributions:read` */
  links: {
    data: Link[];
    has_more: boolean;
  } | null;
  rate_limits: {
    requests: {
      /** Requests per second */
      per_second: number;
      /** The most requests at once, after a pause */
      burst: number;
    };
    completions: {
      /** Requests per second */
      per_second: number;
      /** The most requests at once, after a pause */
      burst: number;
    };
    batches: {
      /** Requests per second */
      per_second: number;
      /** The most requests at once, after a pause */
      burst: number;
    };
  };
  /** The version of the service and of this API */
  service_version: string;
}

export interface ContributionTotals {
  /** Only with `by=day`: the UTC day, or the value date */
  day?: string;
  /** Only with `by=project` */
  project_id?: number;
  /** Only with `by=company` */
  company_id?: string;
  /** Only with `by=company` */
  company_name?: string;
  /** Only with `by=status`. More values may be added. */
  status?: 'pending' | 'completed' | (string & {});
  /** Number of contributions */
  contributions: number;
  /** Sum of their amounts, including pending contributions */
  amount: string;
  /** Number of completed contributions */
  completed_contributions: number;
  /** Sum of the amounts of completed contributions */
  completed_amount: string;
  /** Sum of all returns, minus undos */
  returned_amount: string;
  /** Sum of the amounts whose completion was corrected */
  corrected_amount: string;
  /** `completed_amount` minus `returned_amount` and `corrected_amount` */
  net_amount: string;
}

/** The `type` decides what `data` contains. More types may be added. Ignore unknown ones. */
export type Event =
  | ContributionEvent
  | BankLinkEvent
  | WebhookEndpointEvent
  | WebhookDeliveryEvent
  | SandboxEvent
  | StatementDayEvent;

export interface ContributionEvent {
  /** The same in every feed that has this event */
  id: string;
  /** The number of the event in your feed: 1, 2, 3, without gaps */
  sequence: number;
  type:
    | 'contribution.created'
    | 'contribution.completed'
    | 'contribution.completion_refused'
    | 'contribution.completion_repeated'
    | 'contribution.completion_contested'
    | 'contribution.returned'
    | 'contribution.return_undone'
    | 'contribution.corrected';
  /** When the service recorded the event */
  timestamp: string;
  environment: 'production' | 'test' | (string & {});
  data: {
    /** Unique identifier of the contribution */
    transaction_id: string;
    /** The company that created the contribution */
    company_id: string;
    project_id: number;
    /** Amount of the contribution in US dollars, with two decimals */
    amount: string;
    currency: 'USD' | (string & {});
    stated_amount: string | null;
    /** The reference in the request that caused the event. Null if there was none. In a bank's feed, also null if the request came from another party, unless the event is the completion */
    bank_reference: string | null;
    value_date: string | null;
    /** The return that was recorded, or the id of the undo. Null for other events */
    return_id: string | null;
    /** The `return_id` that was undone, or null */
    undoes: string | null;
    /** The kind of the return, or the reason for the undo. Null for other events */
    kind: string | null;
    /** The payment scheme's code of the return, or null */
    code: string | null;
    /** Visible only to the company that created the contribution */
    idempotency_key?: string | null;
  };
}

export interface BankLinkEvent {
  /** The same in every feed that has this event */
  id: string;
  /** The number of the event in your feed: 1, 2, 3, without gaps */
  sequence: number;
  type: 'bank_link.started' | 'bank_link.ended';
  /** When the service recorded the event */
  timestamp: string;
  environment: 'production' | 'test' | (string & {});
  data: {
    /** The company whose contributions the bank completes */
    company_id: string;
    /** The bank */
    bank_company_id: string;
    linked_at: string;
    /** When the link ended, or null */
    unlinked_at: string | null;
    /** Whether the operator voided the link as a mistake. The bank then sees only the contributions that it completed */
    mistake: boolean;
  };
}

export interface WebhookEndpointEvent {
  /** The same in every feed that has this event */
  id: string;
  /** The number of the event in your feed: 1, 2, 3, without gaps */
  sequence: number;
  type: 'webhook_endpoint.failing' | 'webhook_endpoint.disabled' | 'webhook_endpoint.recovered';
  /** When the service recorded the event */
  timestamp: string;
  environment: 'production' | 'test' | (string & {});
  data: {
    endpoint_id: string;
    /** The time of the first failure since the last success, or null */
    failing_since: string | null;
    /** When the service disables the endpoint unless a delivery succeeds. Null unless the endpoint is failing */
    disables_at: string | null;
    /** `operator`, `gone` or `failing`, as in `disabled_reason` of the endpoint. Null unless the endpoint is disabled */
    disabled_reason: string | null;
  };
}

export interface WebhookDeliveryEvent {
  /** The same in every feed that has this event */
  id: string;
  /** The number of the event in your feed: 1, 2, 3, without gaps */
  sequence: number;
  type: 'webhook_delivery.exhausted';
  /** When the service recorded the event */
  timestamp: string;
  environment: 'production' | 'test' | (string & {});
  data: {
    endpoint_id: string;
    /** The event that the endpoint did not get. Resend or read it */
    event_id: string;
    event_type: string;
    transaction_id: string | null;
    /** The number of attempts */
    attempts: number;
    /** Why the last attempt failed, as in the list of attempts */
    failure: string;
    /** The status of the last response, or null */
    status: number | null;
  };
}

export interface SandboxEvent {
  /** The same in every feed that has this event */
  id: string;
  /** The number of the event in your feed: 1, 2, 3, without gaps */
  sequence: number;
  type: 'sandbox.reset';
  /** When the service recorded the event */
  timestamp: string;
  environment: 'production' | 'test' | (string & {});
  data: {
    /** The company that reset its test environment */
    company_id: string;
    /** Its bank, which gets the event */
    bank_company_id: string;
    /** When the reset took place. The company's earlier contributions are no longer visible */
    reset_at: string;
    /** The number of the test environment that ended: 1 for the company's first one */
    generation: number;
  };
}

export interface StatementDayEvent {
  /** The same in every feed that has this event */
  id: string;
  /** The number of the event in your feed: 1, 2, 3, without gaps */
  sequence: number;
  type: 'statement_day.changed';
  /** When the service recorded the event */
  timestamp: string;
  environment: 'production' | 'test' | (string & {});
  data: {
    account_id: string;
    day: string;
    /** The number of lines that do not count for the day any more */
    lines_gone: number;
    /** The number of lines that count instead */
    lines_added: number;
  };
}

export interface WebhookEndpointWithSecret {
  endpoint_id: string;
  url: string;
  /** The types of events that the endpoint receives. An empty list means all types, including types that are added later */
  types: (
    | 'contribution.created'
    | 'contribution.completed'
    | 'contribution.completion_refused'
    | 'contribution.completion_repeated'
    | 'contribution.completion_contested'
    | 'contribution.returned'
    | 'contribution.return_undone'
    | 'contribution.corrected'
    | 'bank_link.started'
    | 'bank_link.ended'
    | 'webhook_endpoint.failing'
    | 'webhook_endpoint.disabled'
    | 'webhook_endpoint.recovered'
    | 'webhook_delivery.exhausted'
    | 'sandbox.reset'
    | 'statement_day.changed'
    | (string & {})
  )[];
  description: string | null;
  /** `unverified`: send a ping first. `enabled`: receives events. `failing`: deliveries are stopped, and one is attempted at `next_attempt_at`. `disabled`: receives only pings and resends that you request */
  status: 'unverified' | 'enabled' | 'failing' | 'disabled' | (string & {});
  /** `requested`: you disabled it. `operator`: the operator disabled it. `gone`: it responded with 410. `failing`: it failed for 5 days. Null if it is not disabled */
  disabled_reason: 'requested' | 'operator' | 'gone' | 'failing' | (string & {}) | null;
  disabled_at: string | null;
  /** The time of the first failure since the last success, or null */
  failing_since: string | null;
  next_attempt_at: string | null;
  /** Each event up to this `sequence` was delivered, waits for a retry, is exhausted or expired, or has a type that the endpoint did not receive */
  position: number;
  last_delivered_at: string | null;
  secret_version: number;
  /** Until this time, the service also signs with the previous secret. Null if there is none */
  previous_secret_expires_at: string | null;
  created_at: string;
  updated_at: string;
  /** Verifies signatures. Store it now: no other response contains it */
  secret: string;
}

export interface WebhookEndpoint {
  endpoint_id: string;
  url: string;
  /** The types of events that the endpoint receives. An empty list means all types, including types that are added later */
  types: (
    | 'contribution.created'
    | 'contribution.completed'
    | 'contribution.completion_refused'
    | 'contribution.completion_repeated'
    | 'contribution.completion_contested'
    | 'contribution.returned'
    | 'contribution.return_undone'
    | 'contribution.corrected'
    | 'bank_link.started'
    | 'bank_link.ended'
    | 'webhook_endpoint.failing'
    | 'webhook_endpoint.disabled'
    | 'webhook_endpoint.recovered'
    | 'webhook_delivery.exhausted'
    | 'sandbox.reset'
    | 'statement_day.changed'
    | (string & {})
  )[];
  description: string | null;
  /** `unverified`: send a ping first. `enabled`: receives events. `failing`: deliveries are stopped, and one is attempted at `next_attempt_at`. `disabled`: receives only pings and resends that you request */
  status: 'unverified' | 'enabled' | 'failing' | 'disabled' | (string & {});
  /** `requested`: you disabled it. `operator`: the operator disabled it. `gone`: it responded with 410. `failing`: it failed for 5 days. Null if it is not disabled */
  disabled_reason: 'requested' | 'operator' | 'gone' | 'failing' | (string & {}) | null;
  disabled_at: string | null;
  /** The time of the first failure since the last success, or null */
  failing_since: string | null;
  next_attempt_at: string | null;
  /** Each event up to this `sequence` was delivered, waits for a retry, is exhausted or expired, or has a type that the endpoint did not receive */
  position: number;
  last_delivered_at: string | null;
  secret_version: number;
  /** Until this time, the service also signs with the previous secret. Null if there is none */
  previous_secret_expires_at: string | null;
  created_at: string;
  updated_at: string;
}

export interface WebhookAttempt {
  attempt_id: string;
  endpoint_id: string;
  /** The `id` of the event or ping, which the receiver got as `webhook-id` */
  event_id: string;
  /** Why it was sent. `first`: for the first time. `retry`: after a failure, or after it waited for an earlier event of its contribution. `ping`, `resend` and `replay`: you requested it. `fault`: as the copy of a sandbox fault */
  kind: 'first' | 'retry' | 'ping' | 'resend' | 'replay' | 'fault' | (string & {});
  /** 1 for the first attempt */
  attempt: number;
  /** `exhausted`: the attempt failed and no further one follows. Resend the event or read the feed */
  outcome: 'delivered' | 'failed' | 'exhausted' | (string & {});
  /** Why it failed. `status`: the receiver did not respond with a 2xx status. Null if it was delivered */
  failure:
    | 'status'
    | 'timeout'
    | 'connect_timeout'
    | 'dns'
    | 'forbidden_address'
    | 'connection_refused'
    | 'connection_closed'
    | 'connection_failed'
    | 'tls'
    | 'malformed_response'
    | (string & {})
    | null;
  /** The status of the response, or null if there was none */
  status: number | null;
  attempted_at: string;
  duration_ms: number;
  /** The first 1,024 bytes of the response to a failure */
  response: string | null;
}

export interface WebhookReplayPreview {
  /** The `sequence` of the first event in the range */
  from_sequence: number;
  /** The `sequence` of the last event in the range. Lower than `from_sequence` if the feed has no event in the range */
  to_sequence: number;
  /** The types of events that are sent. Empty for all types */
  types: (
    | 'contribution.created'
    | 'contribution.completed'
    | 'contribution.completion_refused'
    | 'contribution.completion_repeated'
    | 'contribution.completion_contested'
    | 'contribution.returned'
    | 'contribution.return_undone'
    | 'contribution.corrected'
    | 'bank_link.started'
    | 'bank_link.ended'
    | 'webhook_endpoint.failing'
    | 'webhook_endpoint.disabled'
    | 'webhook_endpoint.recovered'
    | 'webhook_delivery.exhausted'
    | 'sandbox.reset'
    | 'statement_day.changed'
    | (string & {})
  )[];
  only: 'all' | 'exhausted' | (string & {});
  /** The number of events to send */
  event_count: number;
}

export interface WebhookReplay {
  replay_id: string;
  endpoint_id: string;
  /** `running`: events are sent while the endpoint is enabled. `failed`: three events in a row failed in all attempts. Later, start another replay after `position` */
  status: 'running' | 'completed' | 'canceled' | 'failed' | (string & {});
  /** The `sequence` of the first event in the range */
  from_sequence: number;
  /** The `sequence` of the last event in the range. Lower than `from_sequence` if the feed has no event in the range */
  to_sequence: number;
  /** The types of events that are sent. Empty for all types */
  types: (
    | 'contribution.created'
    | 'contribution.completed'
    | 'contribution.completion_refused'
    | 'contribution.completion_repeated'
    | 'contribution.completion_contested'
    | 'contribution.returned'
    | 'contribution.return_undone'
    | 'contribution.corrected'
    | 'bank_link.started'
    | 'bank_link.ended'
    | 'webhook_endpoint.failing'
    | 'webhook_endpoint.disabled'
    | 'webhook_endpoint.recovered'
    | 'webhook_delivery.exhausted'
    | 'sandbox.reset'
    | 'statement_day.changed'
    | (string & {})
  )[];
  only: 'all' | 'exhausted' | (string & {});
  /** The number of events to send */
  event_count: number;
  /** Every event in the range up to this `sequence` was sent or skipped */
  position: number;
  delivered_count: number;
  /** The number of events that failed in all six attempts */
  skipped_count: number;
  created_at: string;
  ended_at: string | null;
}

export interface CheckedStatementUpload {
  /** All zeros after a dry run */
  file_id: string;
  /** `checked`: a dry run stored nothing. `received`: stored, and waits to be read. `reading`: it is being read. `read`: its lines are stored. `rejected`: it cannot be read, see `reason`. `failed`: the service could not read it, so send it again. `voided`: you took it back */
  state: 'checked' | 'received' | 'reading' | 'read' | 'rejected' | 'failed' | 'voided' | (string & {});
  /** Why it was rejected or has failed */
  reason: string | null;
  format: string | null;
  version: string | null;
  bytes: number;
  /** The number of statements. Null until it was read */
  statements: number | null;
  /** The number of entries that were read so far */
  entries: number;
  /** Contradictions in the file, such as wrong totals */
  problems: {
    line: number;
    message: string;
  }[];
  received_at: string;
  /** When its reading ended */
  ended_at: string | null;
  voided_at: string | null;
  void_reason: string | null;
  /** Only in a dry run: what the file contains */
  reading?: {
    accounts: {
      /** Null for an account that an upload would create */
      account_id: string | null;
      account_ending: string | null;
      currency: string | null;
    }[];
    /** The number of entries with each outcome. `found`: the texts contain one transaction id */
    outcomes: {
      found: number;
      several_references: number;
      wrong_check_character: number;
      no_reference: number;
      other_currency: number;
      not_booked: number;
      sums_differ: number;
      unreadable: number;
    };
    /** How a CSV file was read */
    csv: {
      header_line: number | null;
      /** The first lines that are no entries, such as totals */
      skipped_lines: number[];
      /** What the mapping must say before an upload is accepted */
      questions: string[];
    } | null;
  };
}

export interface StatementUpload {
  /** All zeros after a dry run */
  file_id: string;
  /** `checked`: a dry run stored nothing. `received`: stored, and waits to be read. `reading`: it is being read. `read`: its lines are stored. `rejected`: it cannot be read, see `reason`. `failed`: the service could not read it, so send it again. `voided`: you took it back */
  state: 'checked' | 'received' | 'reading' | 'read' | 'rejected' | 'failed' | 'voided' | (string & {});
  /** Why it was rejected or has failed */
  reason: string | null;
  format: string | null;
  version: string | null;
  bytes: number;
  /** The number of statements. Null until it was read */
  statements: number | null;
  /** The number of entries that were read so far */
  entries: number;
  /** Contradictions in the file, such as wrong totals */
  problems: {
    line: number;
    message: string;
  }[];
  received_at: string;
  /** When its reading ended */
  ended_at: string | null;
  voided_at: string | null;
  void_reason: string | null;
}

export interface StatementUploadWithAccounts {
  /** All zeros after a dry run */
  file_id: string;
  /** `checked`: a dry run stored nothing. `received`: stored, and waits to be read. `reading`: it is being read. `read`: its lines are stored. `rejected`: it cannot be read, see `reason`. `failed`: the service could not read it, so send it again. `voided`: you took it back */
  state: 'checked' | 'received' | 'reading' | 'read' | 'rejected' | 'failed' | 'voided' | (string & {});
  /** Why it was rejected or has failed */
  reason: string | null;
  format: string | null;
  version: string | null;
  bytes: number;
  /** The number of statements. Null until it was read */
  statements: number | null;
  /** The number of entries that were read so far */
  entries: number;
  /** Contradictions in the file, such as wrong totals */
  problems: {
    line: number;
    message: string;
  }[];
  received_at: string;
  /** When its reading ended */
  ended_at: string | null;
  voided_at: string | null;
  void_reason: string | null;
  /** The accounts of its statements. Empty until it was read */
  accounts: {
    account_id: string;
    account_ending: string | null;
    account_name: string | null;
    statements: number;
    /** The first day of the statements */
    from: string;
    /** Their last day */
    to: string;
  }[];
}

export interface SettlementList {
  reference: string;
  /** `unchanged`: the newest list of the reference has the same lines */
  outcome: 'stored' | 'unchanged' | (string & {});
  contributions: number;
  /** Sum of the lines */
  amount: string;
}

export interface StatementAccount {
  account_id: string;
  /** Last four characters of the account number */
  account_ending: string | null;
  /** Your own name for the account (`account`), if its files state no account number */
  account_name: string | null;
  /** The entries that pay contributions */
  direction: 'credit' | 'debit' | (string & {});
  /** Whether the statements of this account show all money of your contributions */
  complete_coverage: boolean;
  /** The banking days that money may take after a completion */
  grace_days: number;
  /** The first day of the latest period that final statements cover without a gap. Null if no statement covers a whole day */
  covered_from: string | null;
  /** The last day of the period that begins on `covered_from` */
  covered_to: string | null;
  /** Why the next day with a statement is not covered, or why no day is. Null if all days with statements are covered */
  coverage_reason: string | null;
  /** The answer that you remember for questions about two versions. To end it, undo an answer with `remember` = `nothing` */
  remembered_answer: 'newest' | 'all_lines' | (string & {}) | null;
  created_at: string;
}

export interface AccountRule {
  code: string;
  /** The entries that it is about */
  direction: 'credit' | 'debit' | (string & {});
  /** `charge`: they are charges of the bank. `ignore`: they need no further work */
  outcome: 'charge' | 'ignore' | (string & {});
  reason: string;
  decided_at: string;
}

export interface DayAnswer {
  number: number;
  /** The answer */
  kind: 'version' | 'all_lines' | 'use_anyway' | 'accept' | 'undo' | (string & {});
  version: string | null;
  gap: string | null;
  among: string[];
  reason: string;
  decided_at: string;
}

export interface AccountEntry {
  /** The same in all statements that have the line. Null for a line that another statement replaces, and before it was compared */
  entry_id: string | null;
  account_id: string;
  account_ending: string | null;
  account_name: string | null;
  file_id: string;
  statement_id: string;
  bank_statement_id: string | null;
  /** The bank's number of the statement */
  statement_number: string | null;
  /** The number of the entry in its statement, from 1. A CSV file may have a header above it */
  line: number;
  /** Above 0 for a part of a batch entry that only a notification states */
  part: number;
  /** The day of the statement to which it belongs */
  day: string;
  /** The day that the bank states */
  booking_date: string;
  /** Whether the account received or paid */
  direction: 'credit' | 'debit' | (string & {});
  /** Booked amount */
  amount: string;
  /** The amount, negative for a debit */
  signed_amount: string;
  /** What the bank kept. Of a payment, it comes on top of the amount and counts as paid. Of a return, it is a part of the amount */
  charges: string;
  bank_reference: string | null;
  /** The code of the bank for the kind of line */
  bank_code: string | null;
  return_code: string | null;
  /** Whether it counts in the sums of its day, whatever its `outcome` is. `counted`: it does. `proposed`: not before somebody decides. `replaced`: another statement has it instead. `pending`: it is being compared */
  state: 'counted' | 'proposed' | 'replaced' | 'pending' | (string & {});
  outcome:
    | 'matched'
    | 'proposed'
    | 'returned'
    | 'unknown'
    | 'ignored'
    | 'unreadable'
    | 'other_currency'
    | 'not_booked'
    | 'sums_differ'
    | (string & {})
    | null;
  /** A code, such as `no_reference` */
  reason: string | null;
  /** What the line is, and what to do about it */
  explanation: string;
  is_decided: boolean;
  /** Whether the lines of its day are being compared */
  is_pending: boolean;
  term: 'matched' | 'returned' | 'charges' | 'ignored' | 'unexplained' | (string & {}) | null;
  /** What it adds to this term */
  term_amount: string;
  /** What it adds to the term `charges` besides */
  charge_amount: string;
  /** At most 100 */
  allocations: {
    /** Unique identifier of the contribution */
    transaction_id: string;
    /** Whether the money arrived or was returned */
    kind: 'payment' | 'return' | (string & {});
    /** The part of the line for this contribution */
    amount: string;
    /** How the contribution was found. `repaired` is never confirmed */
    confidence: 'exact' | 'normalized' | 'repaired' | 'settlement' | 'decision' | (string & {});
    /** Only confirmed money counts */
    state: 'proposed' | 'confirmed' | (string & {});
  }[];
  /** The statements that have the line instead */
  replaced_by: {
    statement_ids: string[];
    file_ids: string[];
  } | null;
}

export interface EntryDecision {
  decision_id: string;
  number: number;
  /** What was decided */
  action: 'link' | 'split' | 'unlink' | 'ignore' | 'accept_difference' | 'complete' | 'undo' | (string & {});
  allocations: {
    /** Unique identifier of the contribution */
    transaction_id: string;
    /** The part for this contribution */
    amount: string;
  }[];
  reason: string;
  decided_at: string;
}

export interface CloseReason {
  /** Null if the reason is the month itself */
  account_id: string | null;
  kind: string;
  from: string;
  /** The last day */
  to: string;
  /** The number of entries, if it is about entries */
  entries: number | null;
  /** What keeps the month open, and what to do */
  text: string;
}

export interface AccountingMonth {
  month: string;
  is_closed: boolean;
  /** The numbers of now, by account */
  numbers: {
    account_id: string;
    opening_balance: string | null;
    /** Matched entries */
    matched: string;
    /** Returned money */
    returned: string;
    /** Charges of the bank */
    charges: string;
    /** Ignored entries */
    ignored: string;
    /** Entries without an explanation */
    unexplained: string;
    closing_balance: string | null;
  }[];
  /** The newest 100, newest first */
  changes: {
    number: number;
    /** What was done */
    kind: 'closed' | 'reopened' | (string & {});
    reason: string;
    changed_at: string;
    /** The numbers at that time */
    numbers: {
      account_id: string;
      opening_balance: string | null;
      /** Matched entries */
      matched: string;
      /** Returned money */
      returned: string;
      /** Charges of the bank */
      charges: string;
      /** Ignored entries */
      ignored: string;
      /** Entries without an explanation */
      unexplained: string;
      closing_balance: string | null;
    }[];
  }[];
}

export interface AccountDay {
  account_id: string;
  account_ending: string | null;
  account_name: string | null;
  day: string;
  /** `covered`: statements cover it, and none of its questions is about its own lines or balances. It can have the question `days_missing`, which is about the days before it, or `changed_after_close`. `open`: it has another question, or the next day does not follow it. `missing`: no statement covers it */
  state: 'covered' | 'open' | 'missing' | (string & {});
  /** Why the day is not final, and what to do */
  reason: string | null;
  opening_balance: string | null;
  closing_balance: string | null;
  change: string | null;
  /** Signed sum of the lines that count */
  counted_amount: string;
  counted_entries: number;
  /** Signed sum of the lines that do not count before somebody decides */
  proposed_amount: string;
  proposed_entries: number;
  /** Whether its lines are being compared */
  is_pending: boolean;
  /** When a statement last replaced another one and had other lines. The event `statement_day.changed` has their numbers */
  changed_at: string | null;
  /** The statements that state the day, at most 50 */
  statements: {
    file_id: string;
    /** Identifies the statement in the file */
    statement_id: string;
    format: string;
    /** A `report` is interim or a notification. It covers no day */
    kind: 'final' | 'report' | (string & {});
    /** The bank's identifier */
    bank_statement_id: string | null;
    /** The bank's number */
    number: string | null;
    /** When the bank made it, as stated: in UTC, or in local time without a zone */
    made_at: string | null;
    /** Whether its lines count */
    is_used: boolean;
  }[];
  /** The questions that start on this day of the range. `days_missing` is about the days before it, so the day itself can be `covered` */
  questions: DayQuestion[];
}

export interface DayQuestion {
  account_id: string;
  account_ending: string | null;
  account_name: string | null;
  from: string;
  /** The last day with the question. One answer is about all days */
  to: string;
  /** What must be answered */
  kind:
    | 'two_versions'
    | 'unbalanced'
    | 'incomplete'
    | 'changed_after_close'
    | 'does_not_follow'
    | 'days_missing'
    | 'decision_without_line'
    | (string & {});
  /** The question, and what to do */
  text: string;
  /** The versions to choose from, newest first */
  choices: {
    /** Send it in the answer */
    version: string;
    /** Whether the lines of this version count, as far as they do */
    is_chosen: boolean;
    statements: DayStatement[];
    /** The number of lines on the first day, if known */
    entries: number | null;
    opening_balance: string | null;
    closing_balance: string | null;
    /** Signed sum of the lines of the first day */
    change: string;
  }[];
  /** All versions of the question, for `among` */
  versions: string[];
  /** The entry of a decision, if no statement has the entry now */
  entry_id: string | null;
  /** To accept a gap, send it in the answer */
  gap: string | null;
  closing_before: string | null;
  opening_after: string | null;
}

export interface DayStatement {
  file_id: string;
  /** Identifies the statement in the file */
  statement_id: string;
  format: string;
  /** A `report` is interim or a notification. It covers no day */
  kind: 'final' | 'report' | (string & {});
  /** The bank's identifier */
  bank_statement_id: string | null;
  /** The bank's number */
  number: string | null;
  /** When the bank made it, as stated: in UTC, or in local time without a zone */
  made_at: string | null;
}

export interface AccountEntryWithSources {
  /** The same in all statements that have the line. Null for a line that another statement replaces, and before it was compared */
  entry_id: string | null;
  account_id: string;
  account_ending: string | null;
  account_name: string | null;
  file_id: string;
  statement_id: string;
  bank_statement_id: string | null;
  /** The bank's number of the statement */
  statement_number: string | null;
  /** The number of the entry in its statement, from 1. A CSV file may have a header above it */
  line: number;
  /** Above 0 for a part of a batch entry that only a notification states */
  part: number;
  /** The day of the statement to which it belongs */
  day: string;
  /** The day that the bank states */
  booking_date: string;
  /** Whether the account received or paid */
  direction: 'credit' | 'debit' | (string & {});
  /** Booked amount */
  amount: string;
  /** The amount, negative for a debit */
  signed_amount: string;
  /** What the bank kept. Of a payment, it comes on top of the amount and counts as paid. Of a return, it is a part of the amount */
  charges: string;
  bank_reference: string | null;
  /** The code of the bank for the kind of line */
  bank_code: string | null;
  return_code: string | null;
  /** Whether it counts in the sums of its day, whatever its `outcome` is. `counted`: it does. `proposed`: not before somebody decides. `replaced`: another statement has it instead. `pending`: it is being compared */
  state: 'counted' | 'proposed' | 'replaced' | 'pending' | (string & {});
  outcome:
    | 'matched'
    | 'proposed'
    | 'returned'
    | 'unknown'
    | 'ignored'
    | 'unreadable'
    | 'other_currency'
    | 'not_booked'
    | 'sums_differ'
    | (string & {})
    | null;
  /** A code, such as `no_reference` */
  reason: string | null;
  /** What the line is, and what to do about it */
  explanation: string;
  is_decided: boolean;
  /** Whether the lines of its day are being compared */
  is_pending: boolean;
  term: 'matched' | 'returned' | 'charges' | 'ignored' | 'unexplained' | (string & {}) | null;
  /** What it adds to this term */
  term_amount: string;
  /** What it adds to the term `charges` besides */
  charge_amount: string;
  /** At most 100 */
  allocations: {
    /** Unique identifier of the contribution */
    transaction_id: string;
    /** Whether the money arrived or was returned */
    kind: 'payment' | 'return' | (string & {});
    /** The part of the line for this contribution */
    amount: string;
    /** How the contribution was found. `repaired` is never confirmed */
    confidence: 'exact' | 'normalized' | 'repaired' | 'settlement' | 'decision' | (string & {});
    /** Only confirmed money counts */
    state: 'proposed' | 'confirmed' | (string & {});
  }[];
  /** The statements that have the line instead */
  replaced_by: {
    statement_ids: string[];
    file_ids: string[];
  } | null;
  sources: EntrySource[];
}

export interface EntrySource {
  file_id: string;
  /** Identifies the statement in the file */
  statement_id: string;
  format: string;
  /** The bank's identifier */
  bank_statement_id: string | null;
  /** The bank's number */
  number: string | null;
  /** When the bank made it, as stated: in UTC, or in local time without a zone */
  made_at: string | null;
  /** What the line is in this statement */
  state: 'counted' | 'proposed' | 'replaced' | (string & {});
  /** The number of equal lines in the statement */
  lines: number;
}

export interface ReconciliationStatement {
  account_id: string;
  account_ending: string | null;
  account_name: string | null;
  from: string;
  /** The day after the last day */
  to: string;
  opening_balance: string | null;
  terms: {
    /** What the entries are */
    term: 'matched' | 'returned' | 'charges' | 'ignored' | 'unexplained' | (string & {});
    /** Signed sum of the entries */
    amount: string;
    /** The number of entries */
    entries: number;
    /** Lists exactly these entries */
    entries_path: string;
  }[];
  closing_balance: string | null;
  /** Whether the opening balance plus all terms is the closing balance. Null if a balance is unknown, or if entries belong to no final statement */
  is_exact: boolean | null;
  /** Why the numbers are not final. Empty if they are */
  notes: {
    /** What is not final */
    kind: 'no_balances' | 'open' | 'missing' | 'pending' | 'reported' | 'not_exact' | (string & {});
    from: string;
    /** The last day */
    to: string;
    text: string;
  }[];
}

export interface ContributionPosition {
  /** Unique identifier of the contribution */
  transaction_id: string;
  company_id: string;
  /** The status of the contribution */
  status: 'pending' | 'completed' | (string & {});
  /** See the table of positions in the guide */
  position:
    | 'completed_by_another'
    | 'returned_without_credit'
    | 'waiting'
    | 'completed_without_money'
    | 'unconfirmed'
    | 'returned'
    | 'partially_returned'
    | 'short'
    | 'duplicate'
    | 'over'
    | 'money_without_completion'
    | 'matched'
    | (string & {});
  /** Whether the position needs investigation */
  is_open: boolean;
  /** Whether a decision accepted the difference */
  is_decided: boolean;
  /** Amount of the contribution */
  expected_amount: string;
  /** Money that arrived according to your statements */
  gross_amount: string;
  /** Money that went back according to your statements or recorded returns */
  returned_amount: string;
  /** `gross_amount` minus `returned_amount` */
  net_amount: string;
  /** The day by which the money of a completed contribution should have arrived. Null for `completed_by_another` */
  due_day: string | null;
  company_name: string;
  created_at: string;
  completed_at: string | null;
  /** The bank's reference of the completion */
  bank_reference: string | null;
  /** The value date of the completion */
  value_date: string | null;
  /** Number of entries that may concern the contribution, but do not count yet. For every position: returns that are `proposed` for it. If no money or too little has arrived, or it was returned: also payments that are `proposed` for it. For `completed_without_money` and `short`: also entries on the days on which its money was due whose outcome is `unreadable` or `sums_differ`, or whose reason is `several_references`, `settlement_differs` or `wrong_check_character`. An entry without a transaction id is not included, but can be the payment too */
  entries_to_check: number;
  /** Whether your environment completed the contribution. False while it is pending */
  completed_by_you: boolean;
  /** What arrived, what is missing, and what to do */
  explanation: string;
}

export interface SandboxSettings {
  /** Who completes your test contributions. `simulated`: the built-in bank. `linked`: a bank that the operator linked. `none`: your own key pair */
  bank: 'simulated' | 'linked' | 'none' | (string & {});
  /** The simulated bank completes a contribution this many seconds after its creation */
  settle_after_seconds: number;
  /** Whether amounts that end in .41, .42, .43 or .49 make the simulated bank simulate a failure */
  magic_amounts: boolean;
}

export interface SandboxRequest {
  received_at: string;
  request_id: string;
  method: string;
  /** Without the query. A malformed id is not shown. Null if the path is unknown */
  path: string | null;
  /** The `operationId` in the OpenAPI document, or null */
  operation: string | null;
  /** Null if the client closed the connection first */
  status: number | null;
  duration_ms: number;
  /** The API-Key of the pair that sent the request */
  api_key: string;
  idempotency_key: string | null;
  idempotent_replayed: boolean;
  /** The contribution that the request created, completed, read or settled, or null */
  transaction_id: string | null;
  /** The kind of the fault that made this request fail, or null */
  fault: string | null;
  error_code: KnownCode | (string & {}) | null;
  error_detail: string | null;
  /** The `errors` of the response, at most 20 */
  errors: {
    pointer?: string;
    parameter?: string;
    header?: string;
    code: string;
    detail: string;
  }[];
  /** The known parameters of the query */
  query: Record<string, unknown>;
  /** The known members of the body, or null if the body is missing or cannot be parsed */
  body: Record<string, unknown> | null;
}

export interface SandboxFault {
  /** The operationId. `deliverWebhook` means the requests to your webhook endpoints */
  operation:
    | 'listProjects'
    | 'getProject'
    | 'getProjectsAndStories'
    | 'listStories'
    | 'recordStoryView'
    | 'makeOrder'
    | 'createPayment'
    | 'createContribution'
    | 'completeContribution'
    | 'completeContributions'
    | 'getContribution'
    | 'listContributions'
    | 'listLinks'
    | 'getMe'
    | 'recordReturn'
    | 'undoReturn'
    | 'correctContribution'
    | 'summarizeContributions'
    | 'listEvents'
    | 'getEvent'
    | 'createWebhookEndpoint'
    | 'listWebhookEndpoints'
    | 'getWebhookEndpoint'
    | 'changeWebhookEndpoint'
    | 'deleteWebhookEndpoint'
    | 'rotateWebhookSecret'
    | 'enableWebhookEndpoint'
    | 'disableWebhookEndpoint'
    | 'pingWebhookEndpoint'
    | 'resendWebhookEvent'
    | 'listWebhookAttempts'
    | 'listEventAttempts'
    | 'createWebhookReplay'
    | 'listWebhookReplays'
    | 'getWebhookReplay'
    | 'cancelWebhookReplay'
    | 'importStatement'
    | 'listStatements'
    | 'getStatement'
    | 'voidStatement'
    | 'importSettlements'
    | 'listStatementAccounts'
    | 'setStatementAccount'
    | 'listAccountRules'
    | 'setAccountRule'
    | 'addAccountNumber'
    | 'removeAccountNumber'
    | 'answerDayQuestion'
    | 'listDayAnswers'
    | 'decideEntry'
    | 'decideEntries'
    | 'listDecisions'
    | 'canCloseMonth'
    | 'getMonth'
    | 'closeMonth'
    | 'reopenMonth'
    | 'listStatementAccountDays'
    | 'listStatementQuestions'
    | 'listEntriesToExplain'
    | 'listEntriesOfTerm'
    | 'listStatementEntries'
    | 'getStatementEntry'
    | 'getReconciliationStatement'
    | 'listReconciliation'
    | 'getReconciliationSummary'
    | 'getContributionMoney'
    | 'deliverWebhook'
    | (string & {});
  /** How the request fails. With `429`, `408` and kinds that end in `_before`, the request has no effect. With the others, it takes effect before it fails. `duplicate`, `reorder`, `bad_signature`, `old_timestamp` and `hold` apply to `deliverWebhook`, and lose no event */
  kind:
    | '408'
    | '429'
    | 'answer_lost_after_commit'
    | 'lost_before'
    | 'cut_mid_body'
    | 'delay'
    | '503_before'
    | '503_after_commit'
    | 'proxy_502_html'
    | 'outcome_unknown'
    | 'duplicate'
    | 'reorder'
    | 'bad_signature'
    | 'old_timestamp'
    | 'hold'
    | (string & {});
  /** How many requests the fault was armed for */
  times: number;
  /** How many requests will still fail */
  times_left: number;
  /** The delay of the kinds `delay`, `hold` and `reorder`. Null for other kinds */
  delay_ms: number | null;
  armed_at: string;
  expires_at: string;
}

/** It is in no feed, so it has no `sequence`. */
export interface PingEvent {
  id: string;
  type: 'ping';
  timestamp: string;
  environment: 'production' | 'test' | (string & {});
  data: {
    endpoint_id: string;
  };
}

/** RFC 9457 problem details. Branch on `code`. `title` and `detail` are for people, and their wording may change. */
export interface Problem {
  /** Link to the documentation of this code */
  type: string;
  title: string;
  /** HTTP status of the response */
  status: number;
  /** What happened and what to do */
  detail: string;
  /** The list is complete for this version. Later versions may add codes: handle an unknown code by its HTTP status. */
  code:
    | 'invalid_request'
    | 'malformed_body'
    | 'malformed_http'
    | 'credentials_malformed'
    | 'credentials_invalid'
    | 'https_required'
    | 'scope_missing'
    | 'environment_not_served'
    | 'company_suspended'
    | 'completion_reserved_for_bank'
    | 'sandbox_only'
    | 'return_reserved'
    | 'correction_reserved'
    | 'path_not_found'
    | 'resource_not_found'
    | 'transaction_not_found'
    | 'return_not_found'
    | 'event_not_found'
    | 'webhook_endpoint_not_found'
    | 'webhook_replay_not_found'
    | 'statement_not_found'
    | 'statement_account_not_found'
    | 'statement_entry_not_found'
    | 'method_not_allowed'
    | 'request_timeout'
    | 'completed_by_another'
    | 'amount_mismatch'
    | 'project_not_accepting'
    | 'contribution_has_returns'
    | 'correction_ambiguous'
    | 'contribution_not_completed'
    | 'return_exceeds_amount'
    | 'return_reference_reused'
    | 'webhook_url_taken'
    | 'webhook_endpoint_limit'
    | 'webhook_endpoint_unverified'
    | 'webhook_replay_running'
    | 'statement_options_differ'
    | 'decision_not_applicable'
    | 'month_closed'
    | 'question_changed'
    | 'decision_superseded'
    | 'sandbox_conflict'
    | 'events_expired'
    | 'feed_restarted'
    | 'body_too_large'
    | 'unsupported_media_type'
    | 'project_not_found'
    | 'idempotency_key_reused'
    | 'webhook_url_not_allowed'
    | 'statement_unreadable'
    | 'rate_limited'
    | 'authentication_throttled'
    | 'headers_too_large'
    | 'internal_error'
    | 'outcome_unknown'
    | 'webhooks_not_configured'
    | 'credentials_unverifiable'
    | 'company_frozen'
    | 'database_unavailable'
    | 'database_full'
    | 'database_timeout'
    | 'overloaded'
    | 'shutting_down'
    | (string & {});
  /** Equals the header `X-Request-Id` */
  request_id: string;
  /** Whether the same request may succeed later */
  retryable: boolean;
  /** Only with `idempotency_key_reused`: the key that your request repeated */
  idempotency_key?: string;
  /** Only with `idempotency_key_reused`: the contribution that this key created */
  transaction_id?: string;
  /** The problems of the request. If there are more than 50, the first 50 */
  errors?: {
    /** JSON Pointer (RFC 6901) into the body */
    pointer?: string;
    /** Name of a path or query parameter */
    parameter?: string;
    /** Name of a header */
    header?: string;
    code:
      | 'required'
      | 'invalid_type'
      | 'invalid_format'
      | 'invalid_length'
      | 'out_of_range'
      | 'unsupported_value'
      | 'duplicate'
      | 'unknown_parameter'
      | 'file_not_allowed'
      | 'not_found'
      | (string & {});
    detail: string;
  }[];
}

/** Query of `GET /company/integration/get/projects`. */
export interface ListProjectsQuery {
  /** The user's email address, encrypted deterministically by you: 1 to 1024 visible ASCII characters. The service compares the encrypted text byte for byte and never decrypts it. */
  user_hash?: string | undefined;
  limit?: number | undefined;
  /** The next_cursor of the previous page. */
  cursor?: string | undefined;
}

/** Successful response of `GET /company/integration/get/projects`. */
export interface ListProjectsResponse {
  data: Project[];
  has_more: boolean;
  next_cursor: string | null;
}

/** Query of `GET /company/integration/get/project/{project_id}`. */
export interface GetProjectQuery {
  /** Send 1 to include `highlights`. */
  highlights?: 0 | 1 | undefined;
  /** Send 1 to include `description`. */
  description?: 0 | 1 | undefined;
  /** The user's email address, encrypted deterministically by you: 1 to 1024 visible ASCII characters. The service compares the encrypted text byte for byte and never decrypts it. */
  user_hash?: string | undefined;
}

/** Successful response of `GET /company/integration/get/project/{project_id}`. */
export interface GetProjectResponse {
  project_id: number;
  project_name: string;
  project_image_url: string;
  /** True if the user supports this project. False without `user_hash` */
  is_supported: boolean;
  has_stories: boolean;
  /** True if the user has not viewed all stories of this project. Equals `has_stories` without `user_hash` */
  has_unviewed_stories: boolean;
  summary: string;
  category: string | null;
  /** ISO 3166-1 alpha-2 code */
  country: string | null;
  organization: string | null;
  /** Amount in US dollars, with two decimals */
  goal_amount: string | null;
  /** Sum of completed contributions minus returns, in US dollars with two decimals. In production it includes all companies; in test, only your own environment. Updates take about a minute */
  raised_amount: string;
  /** Number of users who support the project, from the same environments as `raised_amount` */
  supporters_count: number;
  status: 'active' | 'archived' | (string & {});
  created_at: string;
  updated_at: string;
  /** Present only with `highlights=1` */
  highlights?: Highlight[];
  /** Present only with `description=1` */
  description?: string;
}

/** Query of `GET /company/integration/projects-stories`. */
export interface GetProjectsAndStoriesQuery {
  /** The user's email address, encrypted deterministically by you: 1 to 1024 visible ASCII characters. The service compares the encrypted text byte for byte and never decrypts it. */
  user_hash?: string | undefined;
}

/** Successful response of `GET /company/integration/projects-stories`. */
export interface GetProjectsAndStoriesResponse {
  data: ProjectSummary[];
}

/** Query of `GET /company/integration/get/project/{project_id}/stories`. */
export interface ListStoriesQuery {
  /** The user's email address, encrypted deterministically by you: 1 to 1024 visible ASCII characters. The service compares the encrypted text byte for byte and never decrypts it. */
  user_hash?: string | undefined;
  limit?: number | undefined;
  /** The next_cursor of the previous page. */
  cursor?: string | undefined;
}

/** Successful response of `GET /company/integration/get/project/{project_id}/stories`. */
export interface ListStoriesResponse {
  data: Story[];
  has_more: boolean;
  next_cursor: string | null;
}

/** Body of `PUT /company/integration/stories/{story_id}/views`. */
export interface RecordStoryViewBody {
  /** The user's email address, encrypted deterministically by you: 1 to 1024 visible ASCII characters. The service compares the encrypted text byte for byte and never decrypts it. */
  user_hash: string;
}

/** Body of `PUT /company/integration/contributions/create`. */
export interface CreateContributionBody {
  project_id: number;
  /** Amount in US dollars, from 0.01 to 1000000.00, with at most two decimals after a dot. Send a string to avoid rounding. */
  amount: string | number;
  /** Optional. USD is the only currency. */
  currency?: 'USD' | undefined;
  status?: 'pending' | undefined;
  /** The user's email address, encrypted deterministically by you: 1 to 1024 visible ASCII characters. The service compares the encrypted text byte for byte and never decrypts it. */
  user_hash: string;
  /** First name of the user */
  name?: string | undefined;
}

/** Successful response of `PUT /company/integration/contributions/create`. */
export interface CreateContributionResponse {
  /** Unique identifier of the contribution */
  transaction_id: string;
  status: 'pending' | (string & {});
}

/** Body of `PUT /company/integration/contributions/{transaction_id}`. */
export interface CompleteContributionBody {
  status: 'completed';
  /** Amount in US dollars, from 0.01 to 1000000000.00, with at most two decimals after a dot. Send a string to avoid rounding. */
  amount?: string | number | undefined;
  /** Optional. USD is the only currency. */
  currency?: 'USD' | undefined;
  /** The bank's reference for the transfer */
  bank_reference?: string | undefined;
  /** The date of the transfer */
  value_date?: string | undefined;
}

/** Successful response of `PUT /company/integration/contributions/{transaction_id}`. */
export interface CompleteContributionResponse {
  /** Unique identifier of the contribution */
  transaction_id: string;
  status: 'completed' | (string & {});
  message: string;
  /** Only if the contribution was completed before, and its money was returned or its completion was corrected. The request changed nothing. */
  net_amount?: '0.00' | (string & {});
}

/** Successful response of `GET /company/integration/contributions/{transaction_id}`. */
export type GetContributionResponse = Contribution;

/** Query of `POST /company/integration/contributions/completions`. */
export interface CompleteContributionsQuery {
  /** 1 = report the outcomes and change nothing */
  dry_run?: 0 | 1 | undefined;
}

/** Body of `POST /company/integration/contributions/completions`. */
export interface CompleteContributionsBody {
  /** The transaction_id of the contribution. Case, spaces and hyphens are ignored. O is read as 0, and I and L as 1. */
  transaction_id: string;
  status?: 'completed' | undefined;
  /** Amount in US dollars, from 0.01 to 1000000000.00, with at most two decimals after a dot. Send a string to avoid rounding. */
  amount: string | number;
  /** Optional. USD is the only currency. */
  currency?: 'USD' | undefined;
  /** The bank's reference for the transfer */
  bank_reference?: string | undefined;
  /** The date of the transfer */
  value_date?: string | undefined;
}

/** Successful response of `POST /company/integration/contributions/completions`. */
export type CompleteContributionsResponse = CompletionOutcome | CompletionSummary;

/** Query of `GET /company/integration/contributions`. */
export interface ListContributionsQuery {
  status?: 'pending' | 'completed' | undefined;
  /** Return contributions created at or after this time. */
  created_from?: string | undefined;
  /** Return contributions created before this time. */
  created_to?: string | undefined;
  /** Return contributions completed at or after this time. */
  completed_from?: string | undefined;
  /** Return contributions completed before this time. */
  completed_to?: string | undefined;
  /** Return only contributions to this project. */
  project_id?: string | undefined;
  /** Return only contributions of this company. */
  company_id?: string | undefined;
  /** Return only contributions that were completed with exactly this `bank_reference`. */
  bank_reference?: string | undefined;
  /** Return only contributions that were completed with this `value_date`. */
  value_date?: string | undefined;
  /** The user's email address, encrypted deterministically by you: 1 to 1024 visible ASCII characters. The service compares the encrypted text byte for byte and never decrypts it. */
  user_hash?: string | undefined;
  /** A unique key that you generate for each contribution, such as a UUID. The same key with the same request never creates a second contribution. Keys do not expire. Do not put personal data in a key: the service keeps it with the contribution, even after the operator deletes the user's hash and name. */
  idempotency_key?: string | undefined;
  limit?: number | undefined;
  /** The next_cursor of the previous page. */
  cursor?: string | undefined;
}

/** Successful response of `GET /company/integration/contributions`. */
export interface ListContributionsResponse {
  data: Contribution[];
  has_more: boolean;
  next_cursor: string | null;
  /** The list contains every contribution that was created or, in order of completion, completed before this time. The first page sets this value, and later pages repeat it. */
  complete_until: string;
}

/** Query of `GET /company/integration/links`. */
export interface ListLinksQuery {
  limit?: number | undefined;
  /** The next_cursor of the previous page. */
  cursor?: string | undefined;
}

/** Successful response of `GET /company/integration/links`. */
export interface ListLinksResponse {
  data: Link[];
  has_more: boolean;
  next_cursor: string | null;
}

/** Successful response of `GET /company/integration/me`. */
export type GetMeResponse = Me;

/** Body of `POST /company/integration/contributions/{transaction_id}/returns`. */
export interface RecordReturnBody {
  /** How the money was returned */
  kind: 'return' | 'reversal' | 'chargeback' | 'refund' | 'recall';
  /** The payment scheme's code, such as R01 or AC04. The service stores it and does not interpret it. C01 to C99 are rejected: they are notifications of change and move no money. */
  code?: string | undefined;
  /** Amount in US dollars, from 0.01 to 1000000000.00, with at most two decimals after a dot. Send a string to avoid rounding. */
  amount: string | number;
  /** Optional. USD is the only currency. */
  currency?: 'USD' | undefined;
  /** The bank's reference for the return. Use a different one for each return. White space at its ends is removed */
  bank_reference: string;
  /** The date of the return */
  value_date?: string | undefined;
}

/** Successful response of `POST /company/integration/contributions/{transaction_id}/returns`. */
export interface RecordReturnResponse {
  return_id: string;
  kind: 'return' | 'reversal' | 'chargeback' | 'refund' | 'recall' | (string & {});
  code: string | null;
  /** Unique identifier of the contribution */
  transaction_id: string;
  /** The amount of this request */
  amount: string;
  currency: 'USD' | (string & {});
  bank_reference: string;
  value_date: string | null;
  recorded_at: string;
  /** The `returned_amount` of the contribution after this request */
  returned_amount: string;
  /** The amount of the contribution minus `returned_amount` */
  net_amount: string;
}

/** Body of `POST /company/integration/contributions/{transaction_id}/returns/{return_id}/undo`. */
export interface UndoReturnBody {
  /** The reason for the undo */
  reason: 'dishonored' | 'chargeback_won' | 'paid_again';
  /** Amount in US dollars, from 0.01 to 1000000000.00, with at most two decimals after a dot. Send a string to avoid rounding. */
  amount: string | number;
  /** Optional. USD is the only currency. */
  currency?: 'USD' | undefined;
  /** The bank's reference for the undo. Use a different one for each undo. White space at its ends is removed */
  bank_reference: string;
  /** The date from which the amount counts again */
  value_date?: string | undefined;
}

/** Successful response of `POST /company/integration/contributions/{transaction_id}/returns/{return_id}/undo`. */
export interface UndoReturnResponse {
  undo_id: string;
  return_id: string;
  reason: 'dishonored' | 'chargeback_won' | 'paid_again' | (string & {});
  /** Unique identifier of the contribution */
  transaction_id: string;
  /** The amount of this request */
  amount: string;
  currency: 'USD' | (string & {});
  bank_reference: string;
  value_date: string | null;
  recorded_at: string;
  /** The `returned_amount` of the contribution after this request */
  returned_amount: string;
  /** The amount of the contribution minus `returned_amount` */
  net_amount: string;
}

/** Body of `POST /company/integration/contributions/{transaction_id}/correction`. */
export interface CorrectContributionBody {
  /** Why the completion was a mistake. The service stores it permanently, so do not send personal data. A repeat has the same reason */
  reason: string;
  /** The `completed_at` of the completion that you take back. Required if the contribution was corrected before: a late repeat of an earlier correction must not take a later completion back. */
  completed_at?: string | undefined;
}

/** Successful response of `POST /company/integration/contributions/{transaction_id}/correction`. */
export interface CorrectContributionResponse {
  /** Unique identifier of the contribution */
  transaction_id: string;
  corrected_at: string;
}

/** Query of `GET /company/integration/contributions/summary`. */
export interface SummarizeContributionsQuery {
  /** The first day. */
  from: string;
  /** The day after the last day, at most 366 days after `from`. */
  to: string;
  by?: 'day' | 'project' | 'company' | 'status' | undefined;
  basis?: 'created' | 'completed' | 'value_date' | undefined;
}

/** Successful response of `GET /company/integration/contributions/summary`. */
export interface SummarizeContributionsResponse {
  data: ContributionTotals[];
  total: {
    /** Number of contributions */
    contributions: number;
    /** Sum of their amounts, including pending contributions */
    amount: string;
    /** Number of completed contributions */
    completed_contributions: number;
    /** Sum of the amounts of completed contributions */
    completed_amount: string;
    /** Sum of all returns, minus undos */
    returned_amount: string;
    /** Sum of the amounts whose completion was corrected */
    corrected_amount: string;
    /** `completed_amount` minus `returned_amount` and `corrected_amount` */
    net_amount: string;
  };
  currency: 'USD' | (string & {});
  /** Every creation, completion, return and correction before this time is counted. Null until the service has counted for the first time. */
  complete_until: string | null;
}

/** Query of `GET /company/integration/events`. */
export interface ListEventsQuery {
  /** Return events with a higher `sequence`. Without it, the list begins with the oldest event that the feed keeps. */
  after?: number | undefined;
  limit?: number | undefined;
  type?:
    | 'contribution.created'
    | 'contribution.completed'
    | 'contribution.completion_refused'
    | 'contribution.completion_repeated'
    | 'contribution.completion_contested'
    | 'contribution.returned'
    | 'contribution.return_undone'
    | 'contribution.corrected'
    | 'bank_link.started'
    | 'bank_link.ended'
    | 'webhook_endpoint.failing'
    | 'webhook_endpoint.disabled'
    | 'webhook_endpoint.recovered'
    | 'webhook_delivery.exhausted'
    | 'sandbox.reset'
    | 'statement_day.changed'
    | undefined;
  /** The transaction_id of the contribution. Case, spaces and hyphens are ignored. O is read as 0, and I and L as 1. */
  transaction_id?: string | undefined;
  /** Return events recorded at or after this time. */
  from?: string | undefined;
  /** Return events recorded before this time. */
  to?: string | undefined;
  /** Maximum number of seconds to wait for an event after `after`. In each process of the service, at most 5 requests of an environment wait at a time. */
  wait?: number | undefined;
}

/** Successful response of `GET /company/integration/events`. */
export interface ListEventsResponse {
  data: Event[];
  has_more: boolean;
  /** Send this as `after` of the next request */
  next_after: number;
  /** The number of the newest event in the feed, or 0 */
  last_sequence: number;
}

/** Successful response of `GET /company/integration/events/{event_id}`. */
export type GetEventResponse = Event;

/** Body of `POST /company/integration/webhook-endpoints`. */
export interface CreateWebhookEndpointBody {
  /** An https URL on port 443 or 8443 without credentials or fragment. Every address of its host must be public. The service follows no redirects */
  url: string;
  /** The types of events to deliver. An empty list means all types, including types that are added later */
  types?:
    | (
        | 'contribution.created'
        | 'contribution.completed'
        | 'contribution.completion_refused'
        | 'contribution.completion_repeated'
        | 'contribution.completion_contested'
        | 'contribution.returned'
        | 'contribution.return_undone'
        | 'contribution.corrected'
        | 'bank_link.started'
        | 'bank_link.ended'
        | 'webhook_endpoint.failing'
        | 'webhook_endpoint.disabled'
        | 'webhook_endpoint.recovered'
        | 'webhook_delivery.exhausted'
        | 'sandbox.reset'
        | 'statement_day.changed'
      )[]
    | undefined;
  /** For your own use */
  description?: string | undefined;
}

/** Successful response of `POST /company/integration/webhook-endpoints`. */
export type CreateWebhookEndpointResponse = WebhookEndpointWithSecret;

/** Successful response of `GET /company/integration/webhook-endpoints`. */
export interface ListWebhookEndpointsResponse {
  data: WebhookEndpoint[];
  has_more: boolean;
}

/** Successful response of `GET /company/integration/webhook-endpoints/{endpoint_id}`. */
export type GetWebhookEndpointResponse = WebhookEndpoint;

/** Body of `PATCH /company/integration/webhook-endpoints/{endpoint_id}`. */
export interface ChangeWebhookEndpointBody {
  /** An https URL on port 443 or 8443 without credentials or fragment. Every address of its host must be public. The service follows no redirects */
  url?: string | undefined;
  /** The types of events to deliver. An empty list means all types, including types that are added later */
  types?:
    | (
        | 'contribution.created'
        | 'contribution.completed'
        | 'contribution.completion_refused'
        | 'contribution.completion_repeated'
        | 'contribution.completion_contested'
        | 'contribution.returned'
        | 'contribution.return_undone'
        | 'contribution.corrected'
        | 'bank_link.started'
        | 'bank_link.ended'
        | 'webhook_endpoint.failing'
        | 'webhook_endpoint.disabled'
        | 'webhook_endpoint.recovered'
        | 'webhook_delivery.exhausted'
        | 'sandbox.reset'
        | 'statement_day.changed'
      )[]
    | undefined;
  /** For your own use. Null removes it */
  description?: string | null | undefined;
}

/** Successful response of `PATCH /company/integration/webhook-endpoints/{endpoint_id}`. */
export type ChangeWebhookEndpointResponse = WebhookEndpoint;

/** Body of `POST /company/integration/webhook-endpoints/{endpoint_id}/rotate-secret`. */
export interface RotateWebhookSecretBody {
  /** Hours during which the service also signs with the current secret. Default 24 */
  overlap_hours?: number | undefined;
}

/** Successful response of `POST /company/integration/webhook-endpoints/{endpoint_id}/rotate-secret`. */
export type RotateWebhookSecretResponse = WebhookEndpointWithSecret;

/** Successful response of `POST /company/integration/webhook-endpoints/{endpoint_id}/enable`. */
export type EnableWebhookEndpointResponse = WebhookEndpoint;

/** Successful response of `POST /company/integration/webhook-endpoints/{endpoint_id}/disable`. */
export type DisableWebhookEndpointResponse = WebhookEndpoint;

/** Successful response of `POST /company/integration/webhook-endpoints/{endpoint_id}/ping`. */
export type PingWebhookEndpointResponse = WebhookAttempt;

/** Successful response of `POST /company/integration/webhook-endpoints/{endpoint_id}/events/{event_id}/resend`. */
export type ResendWebhookEventResponse = WebhookAttempt;

/** Query of `GET /company/integration/webhook-endpoints/{endpoint_id}/attempts`. */
export interface ListWebhookAttemptsQuery {
  /** The `id` of the event */
  event_id?: string | undefined;
  outcome?: 'delivered' | 'failed' | 'exhausted' | undefined;
  limit?: number | undefined;
  /** The next_cursor of the previous page. */
  cursor?: string | undefined;
}

/** Successful response of `GET /company/integration/webhook-endpoints/{endpoint_id}/attempts`. */
export interface ListWebhookAttemptsResponse {
  data: WebhookAttempt[];
  has_more: boolean;
  next_cursor: string | null;
}

/** Query of `GET /company/integration/events/{event_id}/attempts`. */
export interface ListEventAttemptsQuery {
  outcome?: 'delivered' | 'failed' | 'exhausted' | undefined;
  limit?: number | undefined;
  /** The next_cursor of the previous page. */
  cursor?: string | undefined;
}

/** Successful response of `GET /company/integration/events/{event_id}/attempts`. */
export interface ListEventAttemptsResponse {
  data: WebhookAttempt[];
  has_more: boolean;
  next_cursor: string | null;
}

/** Body of `POST /company/integration/webhook-endpoints/{endpoint_id}/replays`. */
export interface CreateWebhookReplayBody {
  /** Send the events that your feed got at or after this time. */
  from?: string | undefined;
  /** Send the events that your feed got before this time, which is after `from`. Default: until now. */
  to?: string | undefined;
  /** The `sequence` of the first event to send */
  from_sequence?: number | undefined;
  /** The `sequence` of the last event to send, at least `from_sequence`. Default: the position of the endpoint */
  to_sequence?: number | undefined;
  /** The types of events to deliver. An empty list means all types, including types that are added later */
  types?:
    | (
        | 'contribution.created'
        | 'contribution.completed'
        | 'contribution.completion_refused'
        | 'contribution.completion_repeated'
        | 'contribution.completion_contested'
        | 'contribution.returned'
        | 'contribution.return_undone'
        | 'contribution.corrected'
        | 'bank_link.started'
        | 'bank_link.ended'
        | 'webhook_endpoint.failing'
        | 'webhook_endpoint.disabled'
        | 'webhook_endpoint.recovered'
        | 'webhook_delivery.exhausted'
        | 'sandbox.reset'
        | 'statement_day.changed'
      )[]
    | undefined;
  /** `all` sends all events. `exhausted` sends only events that were exhausted for this endpoint in the last 30 days. Default `all` */
  only?: 'all' | 'exhausted' | undefined;
  /** `true`: count the events, and send none */
  dry_run?: boolean | undefined;
}

/** Successful response of `POST /company/integration/webhook-endpoints/{endpoint_id}/replays`. */
export type CreateWebhookReplayResponse = WebhookReplayPreview;

/** Query of `GET /company/integration/webhook-endpoints/{endpoint_id}/replays`. */
export interface ListWebhookReplaysQuery {
  limit?: number | undefined;
}

/** Successful response of `GET /company/integration/webhook-endpoints/{endpoint_id}/replays`. */
export interface ListWebhookReplaysResponse {
  data: WebhookReplay[];
  /** Whether there are older ones than `limit` shows */
  has_more: boolean;
}

/** Successful response of `GET /company/integration/webhook-endpoints/{endpoint_id}/replays/{replay_id}`. */
export type GetWebhookReplayResponse = WebhookReplay;

/** Successful response of `POST /company/integration/webhook-endpoints/{endpoint_id}/replays/{replay_id}/cancel`. */
export type CancelWebhookReplayResponse = WebhookReplay;

/** Query of `POST /company/integration/statements`. */
export interface ImportStatementQuery {
  /** Your own name for the account, for files that state no account number. Use the same name for all files of the account. Never send an account number here. */
  account?: string | undefined;
  /** The entries of a new account that pay contributions: `credit` (the default) if the account receives the money, `debit` if you pay from the account */
  direction?: 'credit' | 'debit' | undefined;
  /** For a CSV file: a JSON object that maps members such as `date` and `amount` to columns of the file. The guide lists all members. */
  mapping?: string | undefined;
  /** 1 = read and check the file, and store nothing */
  dry_run?: 0 | 1 | undefined;
}

/** Successful response of `POST /company/integration/statements`. */
export type ImportStatementResponse = CheckedStatementUpload;

/** Query of `GET /company/integration/statements`. */
export interface ListStatementsQuery {
  limit?: number | undefined;
  /** The next_cursor of the previous page. */
  cursor?: string | undefined;
}

/** Successful response of `GET /company/integration/statements`. */
export interface ListStatementsResponse {
  data: StatementUpload[];
  has_more: boolean;
  next_cursor: string | null;
}

/** Successful response of `GET /company/integration/statements/{file_id}`. */
export type GetStatementResponse = StatementUploadWithAccounts;

/** Body of `POST /company/integration/statements/{file_id}/void`. */
export interface VoidStatementBody {
  /** The reason for voiding the file */
  reason: string;
}

/** Successful response of `POST /company/integration/statements/{file_id}/void`. */
export type VoidStatementResponse = StatementUpload;

/** Body of `POST /company/integration/statements/settlements`. */
export interface ImportSettlementsBody {
  /** The reference of the transfer in the statement */
  reference: string;
  /** The transaction_id of the contribution. Case, spaces and hyphens are ignored. O is read as 0, and I and L as 1. */
  transaction_id: string;
  /** Amount in US dollars, from 0.01 to 1000000000.00, with at most two decimals after a dot. Send a string to avoid rounding. */
  amount: string | number;
}

/** Successful response of `POST /company/integration/statements/settlements`. */
export interface ImportSettlementsResponse {
  settlements: SettlementList[];
}

/** Query of `GET /company/integration/statement-accounts`. */
export interface ListStatementAccountsQuery {
  limit?: number | undefined;
  /** The next_cursor of the previous page. */
  cursor?: string | undefined;
}

/** Successful response of `GET /company/integration/statement-accounts`. */
export interface ListStatementAccountsResponse {
  data: StatementAccount[];
  has_more: boolean;
  next_cursor: string | null;
}

/** Body of `PUT /company/integration/statement-accounts/{account_id}`. */
export interface SetStatementAccountBody {
  /** Whether this account shows all money of your contributions, alone or together with other accounts that have `complete_coverage` */
  complete_coverage: boolean;
  /** The banking days that money may take after a completion. Default 3 */
  grace_days?: number | undefined;
  /** The entries that pay contributions. If you change it, the entries of the account are compared again */
  direction?: 'credit' | 'debit' | undefined;
}

/** Successful response of `PUT /company/integration/statement-accounts/{account_id}`. */
export type SetStatementAccountResponse = StatementAccount;

/** Successful response of `GET /company/integration/statement-accounts/{account_id}/rules`. */
export interface ListAccountRulesResponse {
  data: AccountRule[];
  has_more: boolean;
}

/** Body of `PUT /company/integration/statement-accounts/{account_id}/rules`. */
export interface SetAccountRuleBody {
  /** The `bank_code` of the entries */
  code: string;
  direction: 'credit' | 'debit';
  /** What the entries are */
  outcome: 'charge' | 'ignore' | 'none';
  /** The reason, for people who read the rule later */
  reason: string;
}

/** Successful response of `PUT /company/integration/statement-accounts/{account_id}/rules`. */
export interface SetAccountRuleResponse {
  data: AccountRule[];
  has_more: boolean;
}

/** Body of `POST /company/integration/statement-accounts/{account_id}/numbers`. */
export interface AddAccountNumberBody {
  /** The account with the other number */
  other_account_id: string;
  /** The reason, for people who read it later */
  reason: string;
}

/** Successful response of `POST /company/integration/statement-accounts/{account_id}/numbers`. */
export interface AddAccountNumberResponse {
  is_new: boolean;
}

/** Body of `POST /company/integration/statement-accounts/{account_id}/days/{day}/choice`. */
export interface AnswerDayQuestionBody {
  /** The answer */
  kind: 'version' | 'all_lines' | 'use_anyway' | 'accept' | 'undo';
  /** For `version` and `use_anyway`: the `version` of a choice */
  version?: string | undefined;
  /** For `version`, `use_anyway` and `all_lines`: the `versions` of the question */
  among?: string[] | undefined;
  /** For `accept`: the `gap` of the question */
  gap?: string | undefined;
  /** Remember this for later questions about two versions of this account: take the newest version, or all lines. `nothing` ends it */
  remember?: 'newest' | 'all_lines' | 'nothing' | undefined;
  /** The reason, for people who read the answer later */
  reason: string;
}

/** Successful response of `POST /company/integration/statement-accounts/{account_id}/days/{day}/choice`. */
export interface AnswerDayQuestionResponse {
  is_new: boolean;
}

/** Successful response of `GET /company/integration/statement-accounts/{account_id}/days/{day}/choice`. */
export interface ListDayAnswersResponse {
  data: DayAnswer[];
  has_more: boolean;
}

/** Body of `POST /company/integration/statements/entries/{entry_id}/decisions`. */
export interface DecideEntryBody {
  /** What you decide. `undo` takes back all decisions */
  action: 'link' | 'split' | 'unlink' | 'ignore' | 'accept_difference' | 'complete' | 'undo';
  /** For `link` one element, for `split` several. The difference to the entry is a charge */
  allocations?:
    | {
        /** The transaction_id of the contribution. Case, spaces and hyphens are ignored. O is read as 0, and I and L as 1. */
        transaction_id: string;
        /** Amount in US dollars, from 0.01 to 1000000000.00, with at most two decimals after a dot. Send a string to avoid rounding. */
        amount: string | number;
      }[]
    | undefined;
  /** The reason, for people who read the decision later */
  reason: string;
  /** The `number` of the newest decision that you have seen, 0 for none. If a newer one exists, nothing is decided */
  seen?: number | undefined;
}

/** Successful response of `POST /company/integration/statements/entries/{entry_id}/decisions`. */
export interface DecideEntryResponse {
  /** Null after `undo` if no statement has the entry now */
  entry: AccountEntry | null;
  is_new: boolean;
}

/** Successful response of `GET /company/integration/statements/entries/{entry_id}/decisions`. */
export interface ListDecisionsResponse {
  data: EntryDecision[];
  has_more: boolean;
}

/** Body of `POST /company/integration/statements/entries/decisions`. */
export interface DecideEntriesBody {
  decisions: {
    /** The entry */
    entry_id: string;
    /** What you decide. `undo` takes back all decisions */
    action: 'link' | 'split' | 'unlink' | 'ignore' | 'accept_difference' | 'complete' | 'undo';
    /** For `link` one element, for `split` several. The difference to the entry is a charge */
    allocations?:
      | {
          /** The transaction_id of the contribution. Case, spaces and hyphens are ignored. O is read as 0, and I and L as 1. */
          transaction_id: string;
          /** Amount in US dollars, from 0.01 to 1000000000.00, with at most two decimals after a dot. Send a string to avoid rounding. */
          amount: string | number;
        }[]
      | undefined;
    /** The reason, for people who read the decision later */
    reason: string;
    /** The `number` of the newest decision that you have seen, 0 for none. If a newer one exists, nothing is decided */
    seen?: number | undefined;
  }[];
}

/** Successful response of `POST /company/integration/statements/entries/decisions`. */
export interface DecideEntriesResponse {
  data: {
    entry_id: string;
    /** `decided`, `same`, or why it was not recorded */
    outcome: string;
    detail: string | null;
  }[];
}

/** Query of `GET /company/integration/reconciliation/can-close`. */
export interface CanCloseMonthQuery {
  /** The month */
  month: string;
}

/** Successful response of `GET /company/integration/reconciliation/can-close`. */
export interface CanCloseMonthResponse {
  month: string;
  can_close: boolean;
  /** Number of entries of the month in the list of entries to explain, without those of the reason `lines_to_decide`. They do not keep the month open, but nobody can decide about them while it is closed */
  entries_to_explain: number;
  data: CloseReason[];
}

/** Successful response of `GET /company/integration/reconciliation/months/{month}`. */
export type GetMonthResponse = AccountingMonth;

/** Body of `POST /company/integration/reconciliation/months/{month}/close`. */
export interface CloseMonthBody {
  /** The reason, for people who read it later */
  reason: string;
  /** Accounts that have no statements, or no further ones, in this month */
  accounts_without_statements?: string[] | undefined;
}

/** Successful response of `POST /company/integration/reconciliation/months/{month}/close`. */
export type CloseMonthResponse = AccountingMonth;

/** Body of `POST /company/integration/reconciliation/months/{month}/reopen`. */
export interface ReopenMonthBody {
  /** The reason, for people who read it later */
  reason: string;
}

/** Successful response of `POST /company/integration/reconciliation/months/{month}/reopen`. */
export type ReopenMonthResponse = AccountingMonth;

/** Query of `GET /company/integration/statement-accounts/{account_id}/days`. */
export interface ListStatementAccountDaysQuery {
  /** The first day. */
  from: string;
  /** The day after the last day, at most 366 days after `from`. */
  to: string;
  /** The next_cursor of the previous page. */
  cursor?: string | undefined;
}

/** Successful response of `GET /company/integration/statement-accounts/{account_id}/days`. */
export interface ListStatementAccountDaysResponse {
  data: AccountDay[];
  has_more: boolean;
  next_cursor: string | null;
}

/** Query of `GET /company/integration/reconciliation/questions`. */
export interface ListStatementQuestionsQuery {
  /** The next_cursor of the previous page. */
  cursor?: string | undefined;
}

/** Successful response of `GET /company/integration/reconciliation/questions`. */
export interface ListStatementQuestionsResponse {
  data: DayQuestion[];
  has_more: boolean;
  next_cursor: string | null;
}

/** Query of `GET /company/integration/statements/entries`. */
export interface ListEntriesToExplainQuery {
  /** Only entries of this account */
  account_id?: string | undefined;
  /** Only entries of this day or later */
  from?: string | undefined;
  /** Only entries before this day. Later than `from` */
  to?: string | undefined;
  /** Only entries with this outcome */
  outcome?:
    'proposed' | 'unknown' | 'unreadable' | 'other_currency' | 'not_booked' | 'sums_differ' | undefined;
  /** Only entries in this state */
  state?: 'counted' | 'proposed' | undefined;
  limit?: number | undefined;
  /** The next_cursor of the previous page. */
  cursor?: string | undefined;
}

/** Successful response of `GET /company/integration/statements/entries`. */
export interface ListEntriesToExplainResponse {
  data: AccountEntry[];
  has_more: boolean;
  next_cursor: string | null;
}

/** Query of `GET /company/integration/statement-accounts/{account_id}/entries`. */
export interface ListEntriesOfTermQuery {
  /** Only entries of this term */
  term?: 'matched' | 'returned' | 'charges' | 'ignored' | 'unexplained' | undefined;
  /** The first day. */
  from: string;
  /** The day after the last day, at most 366 days after `from`. */
  to: string;
  limit?: number | undefined;
  /** The next_cursor of the previous page. */
  cursor?: string | undefined;
}

/** Successful response of `GET /company/integration/statement-accounts/{account_id}/entries`. */
export interface ListEntriesOfTermResponse {
  data: AccountEntry[];
  has_more: boolean;
  next_cursor: string | null;
}

/** Query of `GET /company/integration/statements/{file_id}/entries`. */
export interface ListStatementEntriesQuery {
  limit?: number | undefined;
  /** The next_cursor of the previous page. */
  cursor?: string | undefined;
}

/** Successful response of `GET /company/integration/statements/{file_id}/entries`. */
export interface ListStatementEntriesResponse {
  data: AccountEntry[];
  has_more: boolean;
  next_cursor: string | null;
}

/** Successful response of `GET /company/integration/statements/entries/{entry_id}`. */
export type GetStatementEntryResponse = AccountEntryWithSources;

/** Query of `GET /company/integration/statement-accounts/{account_id}/reconciliation`. */
export interface GetReconciliationStatementQuery {
  /** The first day. */
  from: string;
  /** The day after the last day, at most 366 days after `from`. */
  to: string;
}

/** Successful response of `GET /company/integration/statement-accounts/{account_id}/reconciliation`. */
export type GetReconciliationStatementResponse = ReconciliationStatement;

/** Query of `GET /company/integration/reconciliation`. */
export interface ListReconciliationQuery {
  /** Only contributions with this position */
  position?:
    | 'completed_by_another'
    | 'returned_without_credit'
    | 'waiting'
    | 'completed_without_money'
    | 'unconfirmed'
    | 'returned'
    | 'partially_returned'
    | 'short'
    | 'duplicate'
    | 'over'
    | 'money_without_completion'
    | 'matched'
    | undefined;
  /** 1 = only contributions that need investigation */
  open?: 1 | undefined;
  /** Only contributions that were created at this time or later */
  from?: string | undefined;
  /** Only contributions that were created before this time. Later than `from` */
  to?: string | undefined;
  limit?: number | undefined;
  /** The next_cursor of the previous page. */
  cursor?: string | undefined;
}

/** Successful response of `GET /company/integration/reconciliation`. */
export interface ListReconciliationResponse {
  data: ContributionPosition[];
  has_more: boolean;
  next_cursor: string | null;
}

/** Query of `GET /company/integration/reconciliation/summary`. */
export interface GetReconciliationSummaryQuery {
  /** Only contributions that were created at this time or later */
  from?: string | undefined;
  /** Only contributions that were created before this time. Later than `from` */
  to?: string | undefined;
}

/** Successful response of `GET /company/integration/reconciliation/summary`. */
export interface GetReconciliationSummaryResponse {
  /** Whether all contributions of the range are included */
  is_complete: boolean;
  /** Number of days of your accounts whose lines the service is still comparing. If it is not 0, payments can be missing: read the summary again later */
  days_to_compare: number;
  /** Contributions that need investigation. `unconfirmed` contributions are not included, although their money is not confirmed */
  open: number;
  positions: {
    /** See the table of positions in the guide */
    position:
      | 'completed_by_another'
      | 'returned_without_credit'
      | 'waiting'
      | 'completed_without_money'
      | 'unconfirmed'
      | 'returned'
      | 'partially_returned'
      | 'short'
      | 'duplicate'
      | 'over'
      | 'money_without_completion'
      | 'matched'
      | (string & {});
    contributions: number;
    open: number;
    /** Sum of the amounts */
    expected_amount: string;
    /** Sum of the money that arrived and stayed */
    net_amount: string;
  }[];
}

/** Successful response of `GET /company/integration/contributions/{transaction_id}/money`. */
export interface GetContributionMoneyResponse {
  /** Unique identifier of the contribution */
  transaction_id: string;
  company_id: string;
  /** The status of the contribution */
  status: 'pending' | 'completed' | (string & {});
  /** See the table of positions in the guide */
  position:
    | 'completed_by_another'
    | 'returned_without_credit'
    | 'waiting'
    | 'completed_without_money'
    | 'unconfirmed'
    | 'returned'
    | 'partially_returned'
    | 'short'
    | 'duplicate'
    | 'over'
    | 'money_without_completion'
    | 'matched'
    | (string & {});
  /** Whether the position needs investigation */
  is_open: boolean;
  /** Whether a decision accepted the difference */
  is_decided: boolean;
  /** Amount of the contribution */
  expected_amount: string;
  /** Money that arrived according to your statements */
  gross_amount: string;
  /** Money that went back according to your statements or recorded returns */
  returned_amount: string;
  /** `gross_amount` minus `returned_amount` */
  net_amount: string;
  /** The day by which the money of a completed contribution should have arrived. Null for `completed_by_another` */
  due_day: string | null;
  company_name: string;
  created_at: string;
  completed_at: string | null;
  /** The bank's reference of the completion */
  bank_reference: string | null;
  /** The value date of the completion */
  value_date: string | null;
  /** Number of entries that may concern the contribution, but do not count yet. For every position: returns that are `proposed` for it. If no money or too little has arrived, or it was returned: also payments that are `proposed` for it. For `completed_without_money` and `short`: also entries on the days on which its money was due whose outcome is `unreadable` or `sums_differ`, or whose reason is `several_references`, `settlement_differs` or `wrong_check_character`. An entry without a transaction id is not included, but can be the payment too */
  entries_to_check: number;
  /** Whether your environment completed the contribution. False while it is pending */
  completed_by_you: boolean;
  /** What arrived, what is missing, and what to do */
  explanation: string;
  /** The entries that pay or return it, or may do. At most 100 */
  entries: AccountEntry[];
}

/** Successful response of `GET /company/integration/sandbox/settings`. */
export type GetSandboxSettingsResponse = SandboxSettings;

/** Body of `PUT /company/integration/sandbox/settings`. */
export interface SetSandboxSettingsBody {
  bank: 'simulated' | 'linked' | 'none';
  /** Seconds from the creation of a contribution to its completion by the simulated bank. Default 2 */
  settle_after_seconds?: number | undefined;
  /** Whether amounts that end in .41, .42, .43 or .49 make the simulated bank simulate a failure. Default true */
  magic_amounts?: boolean | undefined;
}

/** Successful response of `PUT /company/integration/sandbox/settings`. */
export type SetSandboxSettingsResponse = SandboxSettings;

/** Body of `POST /company/integration/sandbox/contributions/{transaction_id}/settle`. */
export interface SettleSandboxContributionBody {
  /** Amount in US dollars, from 0.01 to 1000000000.00, with at most two decimals after a dot. Send a string to avoid rounding. */
  amount?: string | number | undefined;
  /** The bank's reference. Default: `SIM-` followed by the transaction_id */
  bank_reference?: string | undefined;
  /** The date of the transfer. Default: the day of the attempt, in UTC */
  value_date?: string | undefined;
  /** How many attempts, one after the other. Default 1 */
  times?: number | undefined;
  /** Delay of the attempts, in seconds. Default 0: the response contains their outcomes */
  after_seconds?: number | undefined;
}

/** Successful response of `POST /company/integration/sandbox/contributions/{transaction_id}/settle`. */
export interface SettleSandboxContributionResponse {
  /** Unique identifier of the contribution */
  transaction_id: string;
  attempts: {
    due_at: string;
    /** `scheduled`: not attempted yet. `completed`, `repeated`: the bank got 200. Otherwise the code of the error that the bank got */
    outcome:
      | 'scheduled'
      | 'completed'
      | 'repeated'
      | 'amount_mismatch'
      | 'transaction_not_found'
      | 'completed_by_another'
      | (string & {});
  }[];
}

/** Body of `POST /company/integration/sandbox/reset`. */
export interface ResetSandboxBody {
  /** `empty` (default): no contributions. `demo`: a few pending contributions */
  seed?: 'empty' | 'demo' | undefined;
}

/** Successful response of `POST /company/integration/sandbox/reset`. */
export interface ResetSandboxResponse {
  /** When the new environment began */
  reset_at: string;
  /** How many more resets are possible within 24 hours */
  resets_left: number;
  /** The contributions of the seed */
  transaction_ids: string[];
}

/** Query of `GET /company/integration/sandbox/requests`. */
export interface ListSandboxRequestsQuery {
  limit?: number | undefined;
}

/** Successful response of `GET /company/integration/sandbox/requests`. */
export interface ListSandboxRequestsResponse {
  data: SandboxRequest[];
  /** Whether there are older ones than `limit` shows */
  has_more: boolean;
}

/** Body of `POST /company/integration/sandbox/faults`. */
export interface ArmSandboxFaultBody {
  /** The operationId. `deliverWebhook` means the requests to your webhook endpoints */
  operation:
    | 'listProjects'
    | 'getProject'
    | 'getProjectsAndStories'
    | 'listStories'
    | 'recordStoryView'
    | 'makeOrder'
    | 'createPayment'
    | 'createContribution'
    | 'completeContribution'
    | 'completeContributions'
    | 'getContribution'
    | 'listContributions'
    | 'listLinks'
    | 'getMe'
    | 'recordReturn'
    | 'undoReturn'
    | 'correctContribution'
    | 'summarizeContributions'
    | 'listEvents'
    | 'getEvent'
    | 'createWebhookEndpoint'
    | 'listWebhookEndpoints'
    | 'getWebhookEndpoint'
    | 'changeWebhookEndpoint'
    | 'deleteWebhookEndpoint'
    | 'rotateWebhookSecret'
    | 'enableWebhookEndpoint'
    | 'disableWebhookEndpoint'
    | 'pingWebhookEndpoint'
    | 'resendWebhookEvent'
    | 'listWebhookAttempts'
    | 'listEventAttempts'
    | 'createWebhookReplay'
    | 'listWebhookReplays'
    | 'getWebhookReplay'
    | 'cancelWebhookReplay'
    | 'importStatement'
    | 'listStatements'
    | 'getStatement'
    | 'voidStatement'
    | 'importSettlements'
    | 'listStatementAccounts'
    | 'setStatementAccount'
    | 'listAccountRules'
    | 'setAccountRule'
    | 'addAccountNumber'
    | 'removeAccountNumber'
    | 'answerDayQuestion'
    | 'listDayAnswers'
    | 'decideEntry'
    | 'decideEntries'
    | 'listDecisions'
    | 'canCloseMonth'
    | 'getMonth'
    | 'closeMonth'
    | 'reopenMonth'
    | 'listStatementAccountDays'
    | 'listStatementQuestions'
    | 'listEntriesToExplain'
    | 'listEntriesOfTerm'
    | 'listStatementEntries'
    | 'getStatementEntry'
    | 'getReconciliationStatement'
    | 'listReconciliation'
    | 'getReconciliationSummary'
    | 'getContributionMoney'
    | 'deliverWebhook';
  /** How the request fails. With `429`, `408` and kinds that end in `_before`, the request has no effect. With the others, it takes effect before it fails. `duplicate`, `reorder`, `bad_signature`, `old_timestamp` and `hold` apply to `deliverWebhook`, and lose no event */
  kind:
    | '408'
    | '429'
    | 'answer_lost_after_commit'
    | 'lost_before'
    | 'cut_mid_body'
    | 'delay'
    | '503_before'
    | '503_after_commit'
    | 'proxy_502_html'
    | 'outcome_unknown'
    | 'duplicate'
    | 'reorder'
    | 'bad_signature'
    | 'old_timestamp'
    | 'hold';
  /** How many requests fail. Default 1 */
  times?: number | undefined;
  /** The delay of the kinds `delay`, `hold` and `reorder`, in milliseconds. Default 2000 for `delay`, 5000 for `hold` and `reorder` */
  delay_ms?: number | undefined;
}

/** Successful response of `POST /company/integration/sandbox/faults`. */
export type ArmSandboxFaultResponse = SandboxFault;

/** Successful response of `GET /company/integration/sandbox/faults`. */
export interface ListSandboxFaultsResponse {
  data: SandboxFault[];
  has_more: boolean;
}

// Each operation: its method, its path, and the names that its query and body have.

const entry = '/statements/entries/{entry_id}';
const statement = '/statements/{file_id}';
const faults = '/sandbox/faults';
const endpoint = '/webhook-endpoints/{endpoint_id}';
const transaction = '/contributions/{transaction_id}';
const transfer = ' amount currency bank_reference value_date';
const page = ' limit cursor';
const account = '/statement-accounts/{account_id}';
const project = '/get/project/{project_id}';
const evidence = ' bank_reference value_date';
const user = ' user_hash';
const range = ' from to';
export const listProjects: string = `GET /get/projects${user}${page}`;
export const getProject: string = `GET ${project} highlights description${user}`;
export const getProjectsAndStories: string = `GET /projects-stories${user}`;
export const listStories: string = `GET ${project}/stories${user}${page}`;
export const recordStoryView: string = `PUT /stories/{story_id}/views${user}`;
export const createContribution: string = `PUT /contributions/create project_id amount currency status${user} name`;
export const completeContribution: string = `PUT ${transaction} status${transfer}`;
export const getContribution: string = `GET ${transaction}`;
export const completeContributions: string = `POST /contributions/completions dry_run transaction_id status${transfer}`;
export const listContributions: string = `GET /contributions status created_from created_to completed_from completed_to project_id company_id${evidence}${user} idempotency_key${page}`;
export const listLinks: string = `GET /links${page}`;
export const getMe: string = `GET /me`;
export const recordReturn: string = `POST ${transaction}/returns kind code${transfer}`;
export const undoReturn: string = `POST ${transaction}/returns/{return_id}/undo reason${transfer}`;
export const correctContribution: string = `POST ${transaction}/correction reason completed_at`;
export const summarizeContributions: string = `GET /contributions/summary${range} by basis`;
export const listEvents: string = `GET /events after limit type transaction_id${range} wait`;
export const getEvent: string = `GET /events/{event_id}`;
export const createWebhookEndpoint: string = `POST /webhook-endpoints url types description`;
export const listWebhookEndpoints: string = `GET /webhook-endpoints`;
export const getWebhookEndpoint: string = `GET ${endpoint}`;
export const changeWebhookEndpoint: string = `PATCH ${endpoint} url types description`;
export const deleteWebhookEndpoint: string = `DELETE ${endpoint}`;
export const rotateWebhookSecret: string = `POST ${endpoint}/rotate-secret overlap_hours`;
export const enableWebhookEndpoint: string = `POST ${endpoint}/enable`;
export const disableWebhookEndpoint: string = `POST ${endpoint}/disable`;
export const pingWebhookEndpoint: string = `POST ${endpoint}/ping`;
export const resendWebhookEvent: string = `POST ${endpoint}/events/{event_id}/resend`;
export const listWebhookAttempts: string = `GET ${endpoint}/attempts event_id outcome${page}`;
export const listEventAttempts: string = `GET /events/{event_id}/attempts outcome${page}`;
export const createWebhookReplay: string = `POST ${endpoint}/replays${range} from_sequence to_sequence types only dry_run`;
export const listWebhookReplays: string = `GET ${endpoint}/replays limit`;
export const getWebhookReplay: string = `GET ${endpoint}/replays/{replay_id}`;
export const cancelWebhookReplay: string = `POST ${endpoint}/replays/{replay_id}/cancel`;
export const importStatement: string = `POST /statements account direction mapping dry_run`;
export const listStatements: string = `GET /statements${page}`;
export const getStatement: string = `GET ${statement}`;
export const voidStatement: string = `POST ${statement}/void reason`;
export const importSettlements: string = `POST /statements/settlements reference transaction_id amount`;
export const listStatementAccounts: string = `GET /statement-accounts${page}`;
export const setStatementAccount: string = `PUT ${account} complete_coverage grace_days direction`;
export const listAccountRules: string = `GET ${account}/rules`;
export const setAccountRule: string = `PUT ${account}/rules code direction outcome reason`;
export const addAccountNumber: string = `POST ${account}/numbers other_account_id reason`;
export const removeAccountNumber: string = `DELETE ${account}/numbers/{other_account_id}`;
export const answerDayQuestion: string = `POST ${account}/days/{day}/choice kind version among gap remember reason`;
export const listDayAnswers: string = `GET ${account}/days/{day}/choice`;
export const decideEntry: string = `POST ${entry}/decisions action allocations reason seen`;
export const listDecisions: string = `GET ${entry}/decisions`;
export const decideEntries: string = `POST /statements/entries/decisions decisions`;
export const canCloseMonth: string = `GET /reconciliation/can-close month`;
export const getMonth: string = `GET /reconciliation/months/{month}`;
export const closeMonth: string = `POST /reconciliation/months/{month}/close reason accounts_without_statements`;
export const reopenMonth: string = `POST /reconciliation/months/{month}/reopen reason`;
export const listStatementAccountDays: string = `GET ${account}/days${range} cursor`;
export const listStatementQuestions: string = `GET /reconciliation/questions cursor`;
export const listEntriesToExplain: string = `GET /statements/entries account_id${range} outcome state${page}`;
export const listEntriesOfTerm: string = `GET ${account}/entries term${range}${page}`;
export const listStatementEntries: string = `GET ${statement}/entries${page}`;
export const getStatementEntry: string = `GET ${entry}`;
export const getReconciliationStatement: string = `GET ${account}/reconciliation${range}`;
export const listReconciliation: string = `GET /reconciliation position open${range}${page}`;
export const getReconciliationSummary: string = `GET /reconciliation/summary${range}`;
export const getContributionMoney: string = `GET ${transaction}/money`;
export const getSandboxSettings: string = `GET /sandbox/settings`;
export const setSandboxSettings: string = `PUT /sandbox/settings bank settle_after_seconds magic_amounts`;
export const settleSandboxContribution: string = `POST /sandbox${transaction}/settle amount${evidence} times after_seconds`;
export const resetSandbox: string = `POST /sandbox/reset seed`;
export const listSandboxRequests: string = `GET /sandbox/requests limit`;
export const armSandboxFault: string = `POST ${faults} operation kind times delay_ms`;
export const listSandboxFaults: string = `GET ${faults}`;
export const disarmSandboxFaults: string = `DELETE ${faults}`;

/** Values of `type` in `listEvents`. Later versions may add values. */
export const eventTypes: readonly string[] = [
  'contribution.created',
  'contribution.completed',
  'contribution.completion_refused',
  'contribution.completion_repeated',
  'contribution.completion_contested',
  'contribution.returned',
  'contribution.return_undone',
  'contribution.corrected',
  'bank_link.started',
  'bank_link.ended',
  'webhook_endpoint.failing',
  'webhook_endpoint.disabled',
  'webhook_endpoint.recovered',
  'webhook_delivery.exhausted',
  'sandbox.reset',
  'statement_day.changed',
];

/** Values of `operation` in `armSandboxFault`. Later versions may add values. */
export const faultOperations: readonly string[] = [
  'listProjects',
  'getProject',
  'getProjectsAndStories',
  'listStories',
  'recordStoryView',
  'makeOrder',
  'createPayment',
  'createContribution',
  'completeContribution',
  'completeContributions',
  'getContribution',
  'listContributions',
  'listLinks',
  'getMe',
  'recordReturn',
  'undoReturn',
  'correctContribution',
  'summarizeContributions',
  'listEvents',
  'getEvent',
  'createWebhookEndpoint',
  'listWebhookEndpoints',
  'getWebhookEndpoint',
  'changeWebhookEndpoint',
  'deleteWebhookEndpoint',
  'rotateWebhookSecret',
  'enableWebhookEndpoint',
  'disableWebhookEndpoint',
  'pingWebhookEndpoint',
  'resendWebhookEvent',
  'listWebhookAttempts',
  'listEventAttempts',
  'createWebhookReplay',
  'listWebhookReplays',
  'getWebhookReplay',
  'cancelWebhookReplay',
  'importStatement',
  'listStatements',
  'getStatement',
  'voidStatement',
  'importSettlements',
  'listStatementAccounts',
  'setStatementAccount',
  'listAccountRules',
  'setAccountRule',
  'addAccountNumber',
  'removeAccountNumber',
  'answerDayQuestion',
  'listDayAnswers',
  'decideEntry',
  'decideEntries',
  'listDecisions',
  'canCloseMonth',
  'getMonth',
  'closeMonth',
  'reopenMonth',
  'listStatementAccountDays',
  'listStatementQuestions',
  'listEntriesToExplain',
  'listEntriesOfTerm',
  'listStatementEntries',
  'getStatementEntry',
  'getReconciliationStatement',
  'listReconciliation',
  'getReconciliationSummary',
  'getContributionMoney',
  'deliverWebhook',
];
