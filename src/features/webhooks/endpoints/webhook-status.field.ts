/** The states of an endpoint, as partners see them. */
export const webhookStatuses = ['unverified', 'enabled', 'failing', 'disabled'] as const;
export type WebhookStatus = (typeof webhookStatuses)[number];

/** Why an endpoint is disabled. */
export const disabledReasons = ['requested', 'operator', 'gone', 'failing'] as const;
export type DisabledReason = (typeof disabledReasons)[number];
