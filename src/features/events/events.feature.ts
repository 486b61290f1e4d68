import type { Feature } from '../../feature';
import { eventsCommand } from './cli/events.command';
import { feedFindings } from './feeds.findings';
import { feedChecks } from './feeds.checks';
import { readNumber } from '../../metrics/readings';
import type { Polling } from '../../shared/polling';
import { eventErrors } from './events.errors';
import { eventsContract } from './events.contract';
import { eventsRoutes } from './events.router';
import { createEventsService } from './events.service';
import { createEventsStore } from './events.store';
import { startRelay } from './relay';
import { createRelayStore } from './relay.store';
import { eventScopes } from './events.scopes';

/** The feed of an environment: what happened to the contributions that it may see. */
export const eventsFeature: Feature = {
  name: 'events',
  scopes: eventScopes,
  errors: eventErrors,
  contracts: () => Object.values(eventsContract),
  checks: feedChecks,
  findings: feedFindings,
  commands: [{ before: 'users', create: eventsCommand }],
  create({ database, logger, signals }) {
    const store = createRelayStore(database);
    let relay: Pick<Polling, 'stop'> | undefined;
    return {
      deliver() {
        relay = startRelay(store, logger, signals.eventsWritten.send);
      },
      stop: () => relay?.stop() ?? Promise.resolve(),
      serve: ({ isShuttingDown }) => ({
        routes(routes) {
          eventsRoutes(routes, createEventsService(createEventsStore(database)), isShuttingDown);
        },
        readings: [
          readNumber(
            'contribution_feed_lag_seconds',
            'Age of the oldest event that is not yet in the feeds and has not failed; 0 if there is none.',
            store.lagSeconds,
          ),
          readNumber(
            'contribution_failed_feed_events',
            'Queued events that could not be written to the feeds. They wait for another attempt, or for an operator.',
            store.failedCount,
          ),
        ],
      }),
    };
  },
};
