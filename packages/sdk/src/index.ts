export { Call, type NoParams, type Pending } from './call.js';
export { ContributionCore, ContributionService } from './client.js';
export type {
  CompleteManyOptions,
  CompleteManyParams,
  Completion,
  CompletionOutcomes,
} from './completions.js';
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
  WrongEnvironment,
} from './errors.js';
export type * from './generated/api.js';
export type { Intent, IntentStore, Recovery, Settlement } from './intents.js';
export { List, type Page, type RowOf } from './list.js';
export type { LogEvent, Logger } from './logging.js';
export type { CallOptions, ContributionServiceOptions } from './options.js';
export type { FileContent, OnceOptions } from './request.js';
export type {
  Bank,
  CompleteContributionParams,
  ContributionWindow,
  ReadWindowParams,
} from './resources/bank.js';
export type {
  Contributions,
  CreateOptions,
  CreateResponse,
  ListContributionsParams,
} from './resources/contributions.js';
export type { Events, FollowEventsParams, ListEventsParams } from './resources/events.js';
export type { Links } from './resources/links.js';
export type { Me } from './resources/me.js';
export type { Months } from './resources/months.js';
export type { GetProjectParams, Projects } from './resources/projects.js';
export type { ProjectsStories } from './resources/projects-stories.js';
export type {
  ListReconciliationParams,
  Reconciliation,
  SummarizeReconciliationParams,
} from './resources/reconciliation.js';
export type { Faults, Sandbox, SandboxRequests } from './resources/sandbox.js';
export type { StatementAccounts } from './resources/statement-accounts.js';
export type { StatementEntries } from './resources/statement-entries.js';
export type {
  CsvColumn,
  CsvMapping,
  ImportSettlementsParams,
  Statements,
  UploadStatementParams,
  WaitOptions,
} from './resources/statements.js';
export type { Stories } from './resources/stories.js';
export type { CreateReplayParams, WebhookEndpoints } from './resources/webhook-endpoints.js';
export { transactionId } from './transaction-id.js';
export type { FullResponse } from './transport.js';
export { WebhookRejected, type WebhookRejection } from './webhook-rejected.js';
export {
  type SignedHeaders,
  type VerifyOptions,
  type WebhookEvent,
  type WebhookHeaders,
  webhooks,
} from './webhooks.js';
