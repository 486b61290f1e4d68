import { verifyEndpoint } from '../../added-endpoint';
import { type Sample, sampleOf } from '../sample';
import { send } from '../send';
import type { DocumentedOperation } from '../../openapi/operations';
import type { World } from '../world';
import type { ErrorTriggers } from './trigger';

const path = '/company/integration/webhook-endpoints';

/** A new company with endpoints, and a sample whose path leads to the last one. */
async function withEndpoints(world: World, operation: DocumentedOperation, count: number, body: object) {
  const { test: client } = await world.service.addCompany();
  const values = await world.pathValues(client);
  let endpointId = values['endpoint_id']!;
  for (let number = 1; number <= count; number += 1) {
    const created = await client.post(path, { url: `https://app.example.com/${number}` }).expect(201);
    endpointId = created.body.endpoint_id as string;
  }
  const sample: Sample = sampleOf(operation, { ...values, endpoint_id: endpointId }, body);
  return send(world.service, client, sample);
}

/** Errors of webhooks. */
export const webhookWays: ErrorTriggers = {
  webhook_endpoint_not_found: async (world, operation) =>
    send(world.service, world.client, sampleOf(operation, await world.pathValues())),

  webhook_endpoint_unverified: async (world, operation) => {
    const { production: client } = await world.service.addCompany();
    const values = await world.pathValues(client);
    const { body } = await client.post(path, { url: 'https://app.example.com/' }).expect(201);
    return send(
      world.service,
      client,
      sampleOf(operation, { ...values, endpoint_id: body.endpoint_id as string }),
    );
  },

  webhook_replay_not_found: async (world, operation) =>
    send(world.service, world.client, sampleOf(operation, await world.pathValues())),

  webhook_replay_running: async (world, operation) => {
    const { test: client } = await world.service.addCompany();
    const values = await world.pathValues(client);
    const { body } = await client.post(path, { url: 'https://app.example.com/' }).expect(201);
    await verifyEndpoint(world.database.admin, body.endpoint_id as string);
    const sample = sampleOf(operation, { ...values, endpoint_id: body.endpoint_id as string });
    await client.post(sample.target, { from_sequence: 1 }).expect(201);
    return send(world.service, client, sample);
  },

  webhook_url_taken: (world, operation) =>
    withEndpoints(world, operation, 2, { url: 'https://app.example.com/1' }),

  webhook_endpoint_limit: (world, operation) =>
    withEndpoints(world, operation, 10, { url: 'https://app.example.com/11' }),

  webhook_url_not_allowed: (world, operation) =>
    withEndpoints(world, operation, 1, { url: 'https://localhost/' }),

  webhooks_not_configured: async (world, operation) => {
    const sample = sampleOf(operation, await world.pathValues());
    const headers = { ...sample.headers, 'X-Forwarded-Proto': 'https' };
    return send(await world.instance('withoutKeys'), world.client, { ...sample, headers });
  },
};
