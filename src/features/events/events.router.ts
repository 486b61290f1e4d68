import type { Routes } from '../../http/routes';
import { eventsContract } from './events.contract';
import { presentEvent } from './events.presenter';
import type { EventsService } from './events.service';

/** Adds the operations of this module to the API. */
export function eventsRoutes(routes: Routes, events: EventsService, isShuttingDown: () => boolean): void {
  routes.bind(eventsContract.list).to(async ({ principal, query, startedAtMs, outside, hasLeft }) => {
    const page = await events.list(principal.environmentId, {
      after: query.after,
      filter: {
        type: query.type,
        transactionId: query.transaction_id,
        from: query.from,
        to: query.to,
      },
      limit: query.limit,
      // After a reset, this runs again with the same deadline.
      waitUntilMs: query.wait === undefined ? 0 : startedAtMs + query.wait * 1_000,
      outside,
      isOver: () => hasLeft() || isShuttingDown(),
    });
    return {
      status: 200,
      body: {
        data: page.events.map((event) => presentEvent(principal.environmentKind, event)),
        has_more: page.hasMore,
        next_after: page.nextAfter,
        last_sequence: page.lastSequence,
      },
    };
  });

  routes.bind(eventsContract.get).to(async ({ principal, params }) => {
    const event = await events.get(principal.environmentId, params.event_id);
    return { status: 200, body: presentEvent(principal.environmentKind, event) };
  });
}
