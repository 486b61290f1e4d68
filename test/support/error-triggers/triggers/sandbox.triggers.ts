import { sampleOf } from '../sample';
import { send } from '../send';
import type { ErrorTriggers } from './trigger';

/** Errors of the sandbox. */
export const sandboxWays: ErrorTriggers = {
  sandbox_only: async (world, operation) =>
    send(world.service, world.company.production, sampleOf(operation, await world.pathValues())),

  // No bank is linked to this company, neither a real one nor the simulated one.
  sandbox_conflict: async (world, operation) => {
    const company = await world.service.addCompany();
    const values = await world.pathValues(company.test);
    return send(world.service, company.test, sampleOf(operation, values, { bank: 'linked' }));
  },
};
