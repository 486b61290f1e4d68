import { invalidSampleOf, sampleOf } from '../sample';
import { send } from '../send';
import type { ErrorTriggers } from './trigger';

/** Errors caused by the input. */
export const inputWays: ErrorTriggers = {
  invalid_request: async (world, operation) =>
    send(world.service, world.client, invalidSampleOf(operation, await world.pathValues())),

  malformed_body: async (world, operation) =>
    send(world.service, world.client, { ...sampleOf(operation, await world.pathValues()), body: '{' }),

  body_too_large: async (world, operation) =>
    send(
      world.service,
      world.client,
      sampleOf(operation, await world.pathValues(), {
        filler: 'a'.repeat(world.service.config.BODY_LIMIT_BYTES),
      }),
    ),

  unsupported_media_type: async (world, operation) =>
    send(world.service, world.client, {
      ...sampleOf(operation, await world.pathValues()),
      headers: { 'Content-Type': 'text/plain' },
    }),
};
