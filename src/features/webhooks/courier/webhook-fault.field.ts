/** The operation name of faults that disturb webhook deliveries in the sandbox. */
export const webhookFaultOperation = 'deliverWebhook';

/** How a delivery can be disturbed in the test environment. No kind loses an event. */
export const webhookFaultKinds = ['duplicate', 'reorder', 'bad_signature', 'old_timestamp', 'hold'] as const;
export type WebhookFaultKind = (typeof webhookFaultKinds)[number];

/** A disturbance of one delivery. */
export interface WebhookFault {
  readonly kind: WebhookFaultKind;
  /** How long the kinds `hold` and `reorder` wait. */
  readonly delayMs: number;
}

/** Long enough for the simulated bank to complete a contribution that was just created. */
export const defaultHoldMs = 5_000;

export const waits = (kind: string): boolean => kind === 'hold' || kind === 'reorder';
