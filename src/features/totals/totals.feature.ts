import type { Feature } from '../../feature';
import { totalsCommand } from './cli/totals.command';
import { totalsChecks } from './totals.checks';
import { loggable } from '../../http/errors/loggable-error';
import { readNumber } from '../../metrics/readings';
import { maintainSums } from '../../shared/maintain-sums';
import { createCountContributionsStore } from './count-contributions.store';
import { totalsContract } from './totals.contract';
import { totalsRoutes } from './totals.router';
import { createTotalsStore } from './totals.store';

const intervalMs = 15_000;

/** Sums of contributions per day, project, company and status. */
export const totalsFeature: Feature = {
  name: 'totals',
  contracts: () => Object.values(totalsContract),
  checks: totalsChecks,
  commands: [{ under: 'contributions', before: 'export', create: totalsCommand }],
  create: ({ database, logger }) => ({
    serve() {
      const counted = createCountContributionsStore(database);
      const failed = (error: unknown): void => {
        logger.warn({ error: loggable(error) }, 'contribution totals not updated');
      };
      return {
        routes(routes) {
          totalsRoutes(routes, createTotalsStore(database));
        },
        readings: [
          readNumber(
            'contribution_totals_age_seconds',
            'Time since the last moment up to which the totals of contributions are complete; 0 before the first count.',
            counted.ageSeconds,
            { isOfInstallation: true },
          ),
        ],
        stop: maintainSums(counted, failed, intervalMs).stop,
      };
    },
  }),
};
