import { setTimeout as delay } from 'node:timers/promises';

import type { ContributionService } from '../client.js';
import type { WebhookReplay } from '../generated/api.js';
import type { CreateReplayParams } from '../resources/webhook-endpoints.js';
import {
  columns,
  type Command,
  type Context,
  type ExitCode,
  integerOf,
  textOf,
  UsageError,
} from './command.js';
import { noEndpoint, onlyEndpointOf } from './endpoint-of.js';
import { agoOf } from './feed-position.js';

const pollMs = 1_000;

/** The part of the feed that the options select. @throws UsageError if they select no start */
function partOf({ values }: Context): CreateReplayParams {
  const [since, from, to] = [textOf(values, 'since'), textOf(values, 'from'), textOf(values, 'to')];
  const [first, last] = [integerOf(values, 'from-sequence'), integerOf(values, 'to-sequence')];
  const starts = [since, from, first].filter((start) => start !== undefined);
  if (starts.length !== 1) throw new UsageError('Pass one of --since, --from and --from-sequence.');
  const start = since === undefined ? from : agoOf(since);
  const types = textOf(values, 'types')?.split(',');
  // Only the service checks types and selections, because a later version may know more of them.
  return {
    ...(start !== undefined && { from: start }),
    ...(to !== undefined && { to }),
    ...(first !== undefined && { from_sequence: first }),
    ...(last !== undefined && { to_sequence: last }),
    ...(types && { types }),
    ...(values['exhausted'] === true && { only: 'exhausted' }),
  } as CreateReplayParams;
}

async function endpointOf(client: ContributionService, { values }: Context): Promise<string> {
  const endpointId = textOf(values, 'endpoint') ?? (await onlyEndpointOf(client));
  if (endpointId === undefined) throw new UsageError(noEndpoint);
  return endpointId;
}

const events = (count: number): string => (count === 1 ? '1 event' : `${count} events`);

const rowOf = (replay: WebhookReplay): string[] => [
  replay.replay_id,
  replay.status,
  `${replay.delivered_count} of ${replay.event_count} delivered`,
  `${replay.skipped_count} skipped`,
  replay.created_at,
];

/** @throws UsageError unless the user agrees */
async function confirm({ values, ask }: Context, count: number): Promise<void> {
  if (values['yes'] === true) return;
  if (!ask) throw new UsageError('There is no terminal to confirm on. Pass --yes, or --preview.');
  const reply = await ask(`This sends ${events(count)} again. Type yes to replay: `);
  if (reply.trim().toLowerCase() !== 'yes') throw new UsageError('Nothing was replayed.');
}

/**
 * The reason why the replay of an endpoint waits. Undefined if it does not wait.
 *
 * @throws UsageError if the endpoint is disabled
 */
async function waitOf(client: ContributionService, endpointId: string): Promise<string | undefined> {
  const { status, next_attempt_at: at } = await client.webhookEndpoints.retrieve(endpointId);
  if (status === 'disabled')
    throw new UsageError('The endpoint is disabled. The replay continues after you enable the endpoint.');
  if (status !== 'failing') return undefined;
  const next = at === null ? '' : ` The service makes the next attempt at ${at}.`;
  return `The endpoint is failing.${next} The replay waits.`;
}

/** Waits until the replay has ended. */
async function follow(
  client: ContributionService,
  { print }: Context,
  started: WebhookReplay,
): Promise<ExitCode> {
  let replay = started;
  let said: string | undefined;
  while (replay.status === 'running') {
    await delay(pollMs);
    const before = replay.position;
    replay = await client.webhookEndpoints.retrieveReplay(replay.endpoint_id, replay.replay_id);
    if (replay.status !== 'running' || replay.position > before) continue;
    const detail = await waitOf(client, replay.endpoint_id);
    if (detail !== undefined && detail !== said) print({ outcome: 'waiting', detail }, detail);
    said = detail;
  }
  print(replay, columns([rowOf(replay)]));
  return replay.status === 'completed' ? 0 : 1;
}

async function start(client: ContributionService, context: Context): Promise<ExitCode> {
  const { values, print } = context;
  const part = partOf(context);
  const endpointId = await endpointOf(client, context);
  const preview = await client.webhookEndpoints.previewReplay(endpointId, part);
  const range = `from ${preview.from_sequence} to ${preview.to_sequence}`;
  if (values['preview'] === true || preview.event_count === 0) {
    print(preview, `${events(preview.event_count)}, ${range}. Nothing was sent.`);
    return 0;
  }
  await confirm(context, preview.event_count);
  const replay = await client.webhookEndpoints.createReplay(endpointId, part);
  if (values['wait'] === true) return follow(client, context, replay);
  print(replay, columns([rowOf(replay)]));
  return 0;
}

export const replay: Command = {
  summary: 'send a part of your feed to a webhook endpoint again',
  help: `Usage: contribution-service-sdk replay --since 1h [OPTIONS]
       contribution-service-sdk replay --list | --cancel REPLAY_ID

Counts the events of a part of your feed, asks for confirmation, and sends them to a webhook endpoint again.
The requests have the header Webhook-Replayed: true. Pass one of --since, --from and --from-sequence. To
send events to the receiver of "listen" again, use "listen --after" or "listen --since" instead.

  --since 1h               the events of the past hour, or of another period such as 30m or 2d
  --from TIME              the events at or after this time, such as 2026-11-20T08:00:00Z
  --to TIME                the events before this time
  --from-sequence N        the sequence of the first event to send
  --to-sequence N          the sequence of the last event to send
  --types TYPE,TYPE        only events of these types
  --exhausted              only events that the service stopped retrying
  --preview                count the events, and send none
  --yes                    do not ask for confirmation
  --wait                   wait until the replay has ended
  --endpoint ENDPOINT_ID   the endpoint; needed if you have several
  --list                   list the replays of the endpoint
  --cancel REPLAY_ID       end a replay`,
  options: {
    since: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    'from-sequence': { type: 'string' },
    'to-sequence': { type: 'string' },
    types: { type: 'string' },
    exhausted: { type: 'boolean' },
    preview: { type: 'boolean' },
    yes: { type: 'boolean' },
    wait: { type: 'boolean' },
    endpoint: { type: 'string' },
    list: { type: 'boolean' },
    cancel: { type: 'string' },
  },
  worksInProduction: false,
  left: 'The replays were changed. "replay --list" shows them, and "replay --cancel REPLAY_ID" ends one.',
  async run(context) {
    const { client: build, positionals, values, print } = context;
    if (positionals.length > 0) throw new UsageError('This command takes no arguments, only options.');
    const client = build();
    const canceled = textOf(values, 'cancel');
    if (values['list'] === true) {
      const list = await client.webhookEndpoints.listReplays(await endpointOf(client, context));
      print(list, list.data.length === 0 ? 'No replays.' : columns(list.data.map(rowOf)));
      return 0;
    }
    if (canceled === undefined) return start(client, context);
    const ended = await client.webhookEndpoints.cancelReplay(await endpointOf(client, context), canceled);
    print(ended, columns([rowOf(ended)]));
    return 0;
  },
};
