import type { Feature } from '../../feature';
import { countingReturns } from '../../metrics/return-metrics';
import { returnsContract } from './returns.contract';
import { returnsRoutes } from './returns.router';
import { createReturnsService } from './returns.service';
import { createReturnsStore } from './returns.store';

/** Money that goes back after a completion, and corrections of completions. */
export const returnsFeature: Feature = {
  name: 'returns',
  contracts: () => Object.values(returnsContract),
  create: ({ database, metrics }) => ({
    serve: () => ({
      routes(routes) {
        returnsRoutes(routes, createReturnsService(countingReturns(metrics, createReturnsStore(database))));
      },
    }),
  }),
};
