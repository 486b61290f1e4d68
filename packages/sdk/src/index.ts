export { Call } from './call.js';
export { ContributionService } from './client.js';
export type { CompleteManyOptions, Completion, CompletionOutcomes } from './completions.js';
export type { Environment } from './credentials.js';
export {
  type Code,
  ConnectionFailed,
  ContributionError,
  DeadlineExceeded,
  type InputError,
  InvalidInput,
  OutcomeUnknown,
  RateLimited,
  type Rejection,
  RequestRejected,
  WebhookRejected,
  type WebhookRejection,
  WrongEnvironment,
} from './errors.js';
export type * from './generated/api.js';
export type { Intent, IntentStore, Recovery, Settlement } from './intents.js';
export { List, type Page } from './list.js';
export type { LogEvent, Logger } from './logging.js';
export type { CallOptions, ContributionServiceOptions } from './options.js';
export type { FileContent } from './request.js';
export type { Bank, ContributionWindow, Evidence, WindowOptions } from './resources/bank.js';
export type {
  ContributionFilter,
  Contributions,
  CreateOptions,
  CreateResponse,
} from './resources/contributions.js';
export type { EventFilter, Events, FollowOptions } from './resources/events.js';
export type { Links } from './resources/links.js';
export type { GetProjectOptions, Projects } from './resources/projects.js';
export type { PositionFilter, Reconciliation, ReconciliationRange } from './resources/reconciliation.js';
export type { Faults, Sandbox, SandboxRequests } from './resources/sandbox.js';
export type { CsvMapping, StatementAccounts, Statements, UploadOptions } from './resources/statements.js';
export type { Stories } from './resources/stories.js';
export type { ReplayPart, WebhookEndpoints } from './resources/webhook-endpoints.js';
export { transactionId } from './transaction-id.js';
export type { FullResponse } from './transport.js';
export {
  type SignedHeaders,
  type VerifyOptions,
  type WebhookEvent,
  type WebhookHeaders,
  webhooks,
} from './webhooks.js';
