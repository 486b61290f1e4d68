import type { CatalogEntry } from '../../http/errors/catalog-entry';

/** The errors of webhooks. */
export const webhookErrors = {
  webhook_endpoint_not_found: {
    status: 404,
    title: 'Webhook endpoint not found',
    retryable: false,
    meaning: 'This environment has no endpoint with this id.',
    advice: 'List the endpoints. Check that the key pair belongs to the environment of the endpoint.',
  },
  webhook_url_taken: {
    status: 409,
    title: 'Another endpoint has this URL',
    retryable: false,
    meaning:
      'Another endpoint of this environment has this URL. You also get this error if you repeat a create after a lost response.',
    advice:
      'List the endpoints, and use or change the existing one. Rotate its secret if you do not have it.',
  },
  webhook_endpoint_limit: {
    status: 409,
    title: 'Too many webhook endpoints',
    retryable: false,
    meaning: 'An environment has at most 10 endpoints.',
    advice: 'Delete an endpoint that you do not need.',
  },
  webhook_endpoint_unverified: {
    status: 409,
    title: 'The webhook endpoint is unverified',
    retryable: false,
    meaning: 'An endpoint receives no event until a ping to its URL succeeds.',
    advice: 'Ping the endpoint. After a success, send the request again.',
  },
  webhook_replay_not_found: {
    status: 404,
    title: 'Webhook replay not found',
    retryable: false,
    meaning: 'The endpoint has no replay with this id. A replay is kept for 30 days after its end.',
    advice: 'List the replays of the endpoint.',
  },
  webhook_replay_running: {
    status: 409,
    title: 'The endpoint has a running replay',
    retryable: false,
    meaning: 'An endpoint can have only one running replay at a time.',
    advice: 'Wait until the replay has ended, or cancel it.',
  },
  webhook_url_not_allowed: {
    status: 422,
    title: 'The service cannot deliver to this URL',
    retryable: false,
    meaning:
      'The host cannot be resolved or is not public, or the URL uses http or a port other than 443 and 8443. `detail` says which.',
    advice:
      'Send an https URL on port 443 or 8443, whose host has only public addresses. If `detail` says that the host cannot be resolved, and its DNS records are correct, try again later. For a receiver on your own machine, use the command `listen` of the SDK.',
  },
  webhooks_not_configured: {
    status: 501,
    title: 'Webhooks are not configured',
    retryable: false,
    meaning: 'The operator has not configured the key that webhook secrets are derived from.',
    advice: 'Read the event feed instead, or ask the operator to configure webhooks.',
  },
} as const satisfies Readonly<Record<string, CatalogEntry>>;

declare module '../../shared/errors' {
  interface FeatureErrors extends Record<keyof typeof webhookErrors, unknown> {}
}
