import { formatCents } from '../../shared/money';
import type { EnvironmentKind } from '../../shared/scopes';
import type {
  BankLinkEventData,
  ContributionEvent,
  EnvironmentEvent,
  FeedEvent,
  SandboxEventData,
  WebhookDeliveryEventData,
  WebhookEndpointEventData,
} from './feed-event';

const common = (environment: EnvironmentKind, { eventId, sequence, recordedAt }: FeedEvent) => ({
  id: eventId,
  sequence,
  timestamp: recordedAt.toISOString(),
  environment,
});

const ofContribution = ({ transactionId, data }: ContributionEvent) => ({
  transaction_id: transactionId,
  company_id: data.company_id,
  project_id: data.project_id,
  amount: formatCents(BigInt(data.amount_cents)),
  currency: 'USD' as const,
  stated_amount:
    data.stated_amount_cents === undefined ? null : formatCents(BigInt(data.stated_amount_cents)),
  bank_reference: data.bank_reference ?? null,
  value_date: data.value_date ?? null,
  return_id: data.return_id ?? null,
  undoes: data.undoes ?? null,
  kind: data.kind ?? null,
  code: data.code ?? null,
  ...('idempotency_key' in data && { idempotency_key: data.idempotency_key }),
});

const ofLink = (data: BankLinkEventData) => ({
  company_id: data.company_id,
  bank_company_id: data.bank_company_id,
  linked_at: data.linked_at,
  unlinked_at: data.unlinked_at,
  mistake: data.mistake ?? false,
});

const ofEndpoint = (data: WebhookEndpointEventData) => ({
  endpoint_id: data.endpoint_id,
  failing_since: data.failing_since,
  disables_at: data.disables_at,
  disabled_reason: data.disabled_reason,
});

const ofDelivery = (data: WebhookDeliveryEventData) => ({
  endpoint_id: data.endpoint_id,
  event_id: data.event_id,
  event_type: data.event_type,
  transaction_id: data.transaction_id,
  attempts: data.attempts,
  failure: data.failure,
  status: data.status,
});

const ofReset = (data: SandboxEventData) => ({
  company_id: data.company_id,
  bank_company_id: data.bank_company_id,
  reset_at: data.reset_at,
  generation: data.generation,
});

function presentEnvironmentEvent(environment: EnvironmentKind, event: EnvironmentEvent) {
  const shown = common(environment, event);
  switch (event.type) {
    case 'bank_link.started':
    case 'bank_link.ended':
      return { ...shown, type: event.type, data: ofLink(event.data) };
    case 'sandbox.reset':
      return { ...shown, type: event.type, data: ofReset(event.data) };
    case 'webhook_delivery.exhausted':
      return { ...shown, type: event.type, data: ofDelivery(event.data) };
    default:
      return { ...shown, type: event.type, data: ofEndpoint(event.data) };
  }
}

export function presentEvent(environment: EnvironmentKind, event: FeedEvent) {
  if (event.transactionId === null) return presentEnvironmentEvent(environment, event);
  return { ...common(environment, event), type: event.type, data: ofContribution(event) };
}
