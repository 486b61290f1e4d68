import type { z } from 'zod';

import { formatCents } from '../../shared/money';
import type { EnvironmentKind } from '../../shared/scopes';
import type { event as eventSchema } from './event.fields';
import type { ContributionEvent, EnvironmentEvent, FeedEvent } from './feed-event';

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

/**
 * The data is stored as partners see it. Only a link that was voided has `mistake`. The cast is
 * safe, because the data belongs to the type.
 */
const presentEnvironmentEvent = (environment: EnvironmentKind, event: EnvironmentEvent) =>
  ({
    ...common(environment, event),
    type: event.type,
    data: event.type.startsWith('bank_link.') ? { mistake: false, ...event.data } : event.data,
  }) as z.output<typeof eventSchema>;

export function presentEvent(environment: EnvironmentKind, event: FeedEvent) {
  if (event.transactionId === null) return presentEnvironmentEvent(environment, event);
  return { ...common(environment, event), type: event.type, data: ofContribution(event) };
}
