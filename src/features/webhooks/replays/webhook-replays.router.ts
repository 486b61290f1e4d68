import type { Routes } from '../../../http/routes';
import type { ReplayedPart, WebhookReplay } from './webhook-replay';
import { webhookReplaysContract as contract } from './webhook-replays.contract';
import type { WebhookReplaysService } from './webhook-replays.service';

const presentPart = ({
  fromSequence,
  toSequence,
  types,
  only,
  eventCount,
}: ReplayedPart & { eventCount: number }) => ({
  from_sequence: fromSequence,
  to_sequence: toSequence,
  types: [...types],
  only,
  event_count: eventCount,
});

const present = (replay: WebhookReplay) => ({
  replay_id: replay.replayId,
  endpoint_id: replay.endpointId,
  status: replay.status,
  ...presentPart(replay),
  position: replay.position,
  delivered_count: replay.deliveredCount,
  skipped_count: replay.skippedCount,
  created_at: replay.createdAt.toISOString(),
  ended_at: replay.endedAt?.toISOString() ?? null,
});

/** Adds replays to the API. */
export function webhookReplaysRoutes(
  routes: Routes,
  publicBaseUrl: string,
  replays: WebhookReplaysService,
): void {
  routes.bind(contract.create).to(async ({ principal, params, body, addToLog }) => {
    const { endpoint_id: endpointId } = params;
    const { from, to, from_sequence: fromSequence, to_sequence: toSequence, types = [], only = 'all' } = body;
    const request = { from, to, fromSequence, toSequence, types, only };
    if (body.dry_run === true) {
      const preview = await replays.preview(principal.environmentId, endpointId, request);
      return { status: 200, body: presentPart(preview) };
    }
    const replay = await replays.create(principal.environmentId, endpointId, request);
    addToLog({ replay_id: replay.replayId });
    const path = contract.get.path
      .replace('{endpoint_id}', endpointId)
      .replace('{replay_id}', replay.replayId);
    return { status: 201, headers: { Location: publicBaseUrl + path }, body: present(replay) };
  });

  routes.bind(contract.list).to(async ({ principal, params, query: { limit } }) => {
    const rows = await replays.list(principal.environmentId, params.endpoint_id, limit + 1);
    return {
      status: 200,
      body: { data: rows.slice(0, limit).map(present), has_more: rows.length > limit },
    };
  });

  routes.bind(contract.get).to(async ({ principal, params }) => ({
    status: 200,
    body: present(await replays.get(principal.environmentId, params.endpoint_id, params.replay_id)),
  }));

  routes.bind(contract.cancel).to(async ({ principal, params }) => {
    const canceled = await replays.cancel(principal.environmentId, params.endpoint_id, params.replay_id);
    return { status: 200, body: present(canceled) };
  });
}
