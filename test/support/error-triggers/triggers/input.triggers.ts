import { mostLines } from '../../../../src/modules/contributions/complete-contributions.contract';
import { invalidSampleOf, sampleOf, takesFile } from '../sample';
import { send } from '../send';
import type { ErrorTriggers } from './trigger';

/** Errors caused by the input. */
export const inputWays: ErrorTriggers = {
  invalid_request: async (world, operation) =>
    send(world.service, world.client, invalidSampleOf(operation, await world.pathValues())),

  malformed_body: async (world, operation) =>
    send(world.service, world.client, {
      ...sampleOf(operation, await world.pathValues()),
      body: takesFile(operation) ? '\n' : '{',
    }),

  body_too_large: async (world, operation) => {
    const filler = 'a'.repeat(world.service.config.BODY_LIMIT_BYTES);
    const sample = sampleOf(operation, await world.pathValues(), { filler });
    const tooManyLines = '\n'.repeat(mostLines + 1);
    return send(
      world.service,
      world.client,
      takesFile(operation) ? { ...sample, body: tooManyLines } : sample,
    );
  },

  unsupported_media_type: async (world, operation) =>
    send(world.service, world.client, {
      ...sampleOf(operation, await world.pathValues()),
      headers: { 'Content-Type': 'text/plain' },
    }),
};
