import { drawKeyPair } from '../../../../src/core/key-pairs/credentials';
import type { Scope } from '../../../../src/shared/scopes';
import { operate } from '../../operations';
import { sampleOf } from '../sample';
import { send } from '../send';
import type { ErrorTriggers } from './trigger';

/** Errors caused by the caller's credentials. */
export const credentialWays: ErrorTriggers = {
  credentials_malformed: async (world, operation) =>
    send(world.service, world.service.anonymous, sampleOf(operation, await world.pathValues())),

  credentials_invalid: async (world, operation) =>
    send(world.service, drawKeyPair('test'), sampleOf(operation, await world.pathValues())),

  credentials_unverifiable: async (world, operation) =>
    send(world.service, await world.unverifiable(), sampleOf(operation, await world.pathValues())),

  company_frozen: async (world, operation) => {
    const { name, test } = await world.service.addCompany();
    await operate(world.database, ({ companiesOverview }) => companiesOverview.freeze(name, 'a test'));
    return send(world.service, test, sampleOf(operation, await world.pathValues()));
  },

  https_required: async (world, operation) =>
    send(await world.instance('production'), world.client, sampleOf(operation, await world.pathValues())),

  scope_missing: async (world, operation) => {
    const sample = sampleOf(operation, await world.pathValues());
    const scope = operation['x-scope'] as Scope | undefined;
    if (scope !== undefined) return send(world.service, await world.clientWithout(scope), sample);
    // Every pair may use the operation, but not make it fail.
    const headers = { ...sample.headers, 'Sandbox-Fault': '503_before' };
    return send(world.service, await world.clientWithout('sandbox'), { ...sample, headers });
  },

  environment_not_served: async (world, operation) =>
    send(
      await world.instance('otherEnvironment'),
      world.client,
      sampleOf(operation, await world.pathValues()),
    ),
};
