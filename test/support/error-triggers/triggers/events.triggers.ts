import { verifyEndpoint } from '../../added-endpoint';
import { relayAll } from '../../feed';
import { sampleOf } from '../sample';
import { send } from '../send';
import type { ErrorTriggers } from './trigger';

/** Errors of the event feed. */
export const eventWays: ErrorTriggers = {
  event_not_found: async (world, operation) => {
    const { test: client } = await world.service.addCompany();
    const url = 'https://app.example.com/webhooks';
    const { body } = await client.post('/company/integration/webhook-endpoints', { url }).expect(201);
    await verifyEndpoint(world.database.admin, body.endpoint_id as string);
    const values = { ...(await world.pathValues(client)), endpoint_id: body.endpoint_id as string };
    return send(world.service, client, sampleOf(operation, values));
  },

  events_expired: async (world, operation) => {
    const { service, database } = world;
    const { test: client } = await service.addCompany();
    const values = await world.pathValues(client);
    const { transaction_id: id } = values;
    await relayAll(database.admin);
    await database.admin.query(
      `UPDATE feeds f SET first_sequence = 2 FROM feed_events e
        WHERE e.environment_id = f.environment_id AND e.transaction_id = $1`,
      [id],
    );
    if (operation.operationId === 'createWebhookReplay') {
      const url = 'https://app.example.com/webhooks';
      const { body } = await client.post('/company/integration/webhook-endpoints', { url }).expect(201);
      await verifyEndpoint(database.admin, body.endpoint_id as string);
      const ofEndpoint = { ...values, endpoint_id: body.endpoint_id as string };
      return send(service, client, sampleOf(operation, ofEndpoint, { from: undefined, from_sequence: 1 }));
    }
    const sample = sampleOf(operation, {});
    return send(service, client, { ...sample, target: `${sample.target}?after=0` });
  },

  feed_restarted: async (world, operation) => {
    const sample = sampleOf(operation, {});
    return send(world.service, world.client, { ...sample, target: `${sample.target}?after=999999` });
  },
};
