import { formatCents } from '../../shared/money';
import type { EnvironmentKind } from '../../shared/scopes';
import type { FeedEvent } from './feed-event';

export function presentEvent(environment: EnvironmentKind, event: FeedEvent) {
  const { data } = event;
  return {
    id: event.eventId,
    sequence: event.sequence,
    type: event.type,
    timestamp: event.recordedAt.toISOString(),
    environment,
    data: {
      transaction_id: event.transactionId,
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
    },
  };
}
