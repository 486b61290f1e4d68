import type { Client } from '../client.js';
import { columns, type Command, textOf, UsageError } from './command.js';

/** @throws UsageError unless the environment has exactly one endpoint */
async function onlyEndpointOf(client: Client): Promise<string> {
  const { data } = await client.webhookEndpoints.list();
  const [only, ...others] = data;
  if (only && others.length === 0) return only.endpoint_id;
  throw new UsageError(
    only
      ? `Pass --endpoint. Your endpoints:\n${columns(data.map(({ endpoint_id: id, url }) => [id, url]))}`
      : 'You have no webhook endpoint. Create one with client.webhookEndpoints.create().',
  );
}

export const resend: Command = {
  summary: 'send an event of your feed to a webhook endpoint again',
  help: `Usage: contribution-service-sdk resend EVENT_ID [--endpoint ENDPOINT_ID]

Sends an event of your feed to a webhook endpoint again, and shows what the receiver answered. The request
has the header Webhook-Replayed: true. tail shows the ids of events with --json.

  --endpoint ENDPOINT_ID   the endpoint; needed if you have several`,
  options: { endpoint: { type: 'string' } },
  worksInProduction: false,
  async run({ client: build, positionals, values, print }) {
    const [eventId, ...others] = positionals;
    if (eventId === undefined || others.length > 0) throw new UsageError('Pass the id of one event.');
    const client = build();
    const endpointId = textOf(values, 'endpoint') ?? (await onlyEndpointOf(client));
    const attempt = await client.webhookEndpoints.resend(endpointId, eventId);
    const { outcome, status, failure, duration_ms: ms } = attempt;
    const cells = [outcome, status === null ? (failure ?? '') : `status ${status}`, `${ms} ms`];
    print(attempt, columns([[attempt.event_id, ...cells]]));
    return outcome === 'delivered' ? 0 : 1;
  },
};
