import { sampleOf } from '../sample';
import { headOf, sendText } from '../send';
import type { ErrorTriggers } from './trigger';

/** HTTP errors that occur before an operation is chosen. */
export const transportWays: ErrorTriggers = {
  malformed_http: async (world, operation) =>
    // HTTP/1.1 requires Host.
    sendText(world.service, `${headOf(sampleOf(operation, await world.pathValues()), {})}\r\n`),

  request_timeout: async (world, operation) =>
    sendText(
      await world.instance('impatient'),
      headOf(sampleOf(operation, await world.pathValues()), { Host: 'service' }),
    ),

  headers_too_large: async (world, operation) =>
    sendText(
      world.service,
      `${headOf(sampleOf(operation, await world.pathValues()), { Host: 'service', 'X-Filler': 'a'.repeat(20_000) })}\r\n`,
    ),
};
