import type { CatalogEntry } from './catalog-entry';

/** Describes the error codes of a service or database that cannot respond now. */
export const availabilityErrorCatalog = {
  company_frozen: {
    status: 503,
    title: 'The company is frozen',
    retryable: true,
    meaning: 'The operator has frozen your company for a while. Nothing was done.',
    advice:
      'Keep the request, such as the completion of a transfer, and send it again after `Retry-After` until the freeze ends. Ask the operator if it lasts.',
    retry: 'Yes, after `Retry-After`, for days if necessary. Never give up a completion or a return.',
  },
  database_unavailable: {
    status: 503,
    title: 'The database is unavailable',
    retryable: true,
    meaning: 'The service cannot reach its database, or the database accepts no writes. `detail` says which.',
    advice:
      'Wait `Retry-After` seconds, then retry with the same `Idempotency-Key` if you sent one. If the error persists, tell the operator.',
  },
  database_full: {
    status: 503,
    title: 'The database has no room',
    retryable: true,
    meaning: 'The database lacks disk space or memory for this request. No changes were made.',
    advice:
      'Wait `Retry-After` seconds, then retry with the same `Idempotency-Key` if you sent one. If the error persists, tell the operator.',
  },
  database_timeout: {
    status: 503,
    title: 'The database did not finish',
    retryable: true,
    meaning:
      'The database did not finish in time, or requests at the same time conflicted. No changes were made.',
    advice: 'Wait `Retry-After` seconds, then retry. If the same request keeps failing, report it.',
  },
  overloaded: {
    status: 503,
    title: 'The service is overloaded',
    retryable: true,
    meaning: 'The service has no capacity for this request. No changes were made.',
    advice: 'Wait `Retry-After` seconds, then retry. Send fewer requests in parallel.',
  },
  shutting_down: {
    status: 503,
    title: 'This instance is shutting down',
    retryable: true,
    meaning: 'This instance no longer accepts requests. No changes were made.',
    advice: 'Retry on a new connection: the load balancer routes it to another instance.',
  },
} as const satisfies Record<string, CatalogEntry>;
