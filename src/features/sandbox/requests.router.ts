import type { Routes } from '../../http/routes';
import { requestsContract } from './requests.contract';
import type { LoggedRequest, RequestsStore } from './requests.store';

const present = ({ details, ...request }: LoggedRequest) => ({
  received_at: request.receivedAt.toISOString(),
  request_id: request.requestId,
  method: request.method,
  path: request.path,
  operation: request.operation,
  status: request.status,
  duration_ms: request.durationMs,
  api_key: request.apiKey,
  idempotency_key: request.idempotencyKey,
  idempotent_replayed: details.isReplayed,
  transaction_id: details.transactionId,
  fault: details.fault,
  error_code: request.errorCode,
  error_detail: details.errorDetail,
  errors: details.errors,
  query: details.query,
  body: details.body,
});

/** Adds the operations of the request log to the API. */
export function requestsRoutes(routes: Routes, requests: Pick<RequestsStore, 'list'>): void {
  routes.bind(requestsContract.list).to(async ({ principal, query: { limit } }) => {
    const entries = await requests.list(principal.environmentId, limit + 1);
    return {
      status: 200,
      body: { data: entries.slice(0, limit).map(present), has_more: entries.length > limit },
    };
  });
}
