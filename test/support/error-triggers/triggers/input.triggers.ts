import { fileLimits } from '@contribution-service/bank-files';

import { mostLines } from '../../../../src/core/contributions/complete-contributions.contract';
import { invalidSampleOf, sampleOf, takesFile, takesStatement } from '../sample';
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
      // An upload of a statement can be malformed only if it is a form.
      ...(takesStatement(operation) && { headers: { 'Content-Type': 'multipart/form-data; boundary=b' } }),
    }),

  body_too_large: async (world, operation) => {
    const filler = 'a'.repeat(world.service.config.BODY_LIMIT_BYTES);
    const sample = sampleOf(operation, await world.pathValues(), { filler });
    const tooLarge = takesFile(operation) ? '\n'.repeat(mostLines + 1) : ' '.repeat(fileLimits.bytes + 1);
    const isFile = takesFile(operation) || takesStatement(operation);
    return send(world.service, world.client, isFile ? { ...sample, body: tooLarge } : sample);
  },

  unsupported_media_type: async (world, operation) =>
    send(world.service, world.client, {
      ...sampleOf(operation, await world.pathValues()),
      headers: { 'Content-Type': 'image/png' },
    }),
};
