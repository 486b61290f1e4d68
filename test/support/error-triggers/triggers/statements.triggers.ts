import { sampleOf } from '../sample';
import { send } from '../send';
import type { ErrorTriggers } from './trigger';

/** Errors of bank statements. */
export const statementWays: ErrorTriggers = {
  statement_not_found: async (world, operation) =>
    send(world.service, world.client, sampleOf(operation, await world.pathValues())),

  statement_account_not_found: async (world, operation) =>
    send(world.service, world.client, sampleOf(operation, await world.pathValues())),

  statement_unreadable: async (world, operation) =>
    send(world.service, world.client, { ...sampleOf(operation, {}), body: '<Document>' }),
};
