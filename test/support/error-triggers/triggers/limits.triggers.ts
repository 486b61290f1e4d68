import { drawKeyPair } from '../../../../src/core/key-pairs/credentials';
import { sampleOf } from '../sample';
import { send } from '../send';
import type { ErrorTriggers } from './trigger';

/** Errors caused by too many requests. */
export const limitWays: ErrorTriggers = {
  rate_limited: async (world, operation) => {
    const service = await world.instance('narrow');
    const sample = sampleOf(operation, await world.pathValues());
    const responses = await Promise.all([1, 2, 3].map(() => send(service, world.client, sample)));
    return responses.find(({ status }) => status === 429) ?? responses[0]!;
  },

  authentication_throttled: async (world, operation) => {
    const service = await world.instance('suspicious');
    const stranger = drawKeyPair('test');
    const sample = sampleOf(operation, await world.pathValues());
    await send(service, stranger, sample);
    return send(service, stranger, sample);
  },
};
