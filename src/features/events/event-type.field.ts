/** The types of events about a contribution. */
export const contributionEventTypes = [
  'contribution.created',
  'contribution.completed',
  'contribution.completion_refused',
  'contribution.completion_repeated',
  'contribution.completion_contested',
  'contribution.returned',
  'contribution.return_undone',
  'contribution.corrected',
] as const;
export type ContributionEventType = (typeof contributionEventTypes)[number];

export const bankLinkEventTypes = ['bank_link.started', 'bank_link.ended'] as const;
export type BankLinkEventType = (typeof bankLinkEventTypes)[number];

/** The types of events about the health of a webhook endpoint. */
export const webhookEndpointEventTypes = [
  'webhook_endpoint.failing',
  'webhook_endpoint.disabled',
  'webhook_endpoint.recovered',
] as const;
export type WebhookEndpointEventType = (typeof webhookEndpointEventTypes)[number];

export const webhookDeliveryEventTypes = ['webhook_delivery.exhausted'] as const;
export type WebhookDeliveryEventType = (typeof webhookDeliveryEventTypes)[number];

export const sandboxEventTypes = ['sandbox.reset'] as const;
export type SandboxEventType = (typeof sandboxEventTypes)[number];

export const statementDayEventTypes = ['statement_day.changed'] as const;
export type StatementDayEventType = (typeof statementDayEventTypes)[number];

/** The types of events, as the database stores them. More may be added. */
export const eventTypes = [
  ...contributionEventTypes,
  ...bankLinkEventTypes,
  ...webhookEndpointEventTypes,
  ...webhookDeliveryEventTypes,
  ...sandboxEventTypes,
  ...statementDayEventTypes,
] as const;

export type EventType = (typeof eventTypes)[number];
