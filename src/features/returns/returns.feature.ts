import type { Feature } from '../../feature';
import { correctCommand } from './cli/correct.command';
import { returnChecks } from './returns.checks';
import { countingReturns } from './returns.metrics';
import { returnErrors } from './returns.errors';
import { returnsContract } from './returns.contract';
import { returnsRoutes } from './returns.router';
import { createReturnsService } from './returns.service';
import { createReturnsStore } from './returns.store';
import { returnScopes } from './returns.scopes';

/** Money that goes back after a completion, and corrections of completions. */
export const returnsFeature: Feature = {
  name: 'returns',
  scopes: returnScopes,
  errors: returnErrors,
  contracts: () => Object.values(returnsContract),
  checks: returnChecks,
  commands: [{ under: 'contributions', before: 'mismatches', create: correctCommand }],
  create({ database, metrics }) {
    const store = countingReturns(metrics, createReturnsStore(database));
    return {
      serve: () => ({
        routes(routes) {
          returnsRoutes(routes, createReturnsService(store));
        },
      }),
    };
  },
};
