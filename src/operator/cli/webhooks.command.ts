import { Command, InvalidArgumentError } from 'commander';

import type {
  ListedEndpoint,
  ShownAttempt,
  ShownEndpoint,
} from '../../modules/webhooks/operator-endpoints.store';
import type { WebhookReplay } from '../../modules/webhooks/webhook-replay';
import type { ReplayRequest } from '../../modules/webhooks/webhook-replays.service';
import { ServiceError } from '../../shared/errors';
import { OperatorError } from '../../shared/operator-error';
import type { Operations } from './operations';
import { act, type ActOptions, look, lookAt } from './operator';
import { actCommand, limitOption, lookCommand, parseTime, printResult, skipOption } from './options';
import { type Columns, oneMore, pageOf, printJson, printTable } from './output';

function statusOf({ disabledAt, disabledReason, verifiedAt, nextProbeAt }: ListedEndpoint): string {
  if (disabledAt) return `disabled (${disabledReason ?? ''})`;
  if (!verifiedAt) return 'unverified';
  return nextProbeAt ? 'failing' : 'enabled';
}

const columns: Columns<ListedEndpoint> = [
  ['ENDPOINT_ID', (endpoint) => endpoint.endpointId, 'whole'],
  ['STATUS', statusOf],
  ['FAILING_SINCE', (endpoint) => endpoint.failingSince, 'whole'],
  ['NEXT_ATTEMPT', (endpoint) => endpoint.nextProbeAt, 'whole'],
  ['LAST_DELIVERY', (endpoint) => endpoint.deliveredAt, 'whole'],
  ['BEHIND', (endpoint) => endpoint.behind],
  ['WAITING', (endpoint) => endpoint.waiting],
  ['COMPANY', (endpoint) => endpoint.company],
  ['ENVIRONMENT', (endpoint) => endpoint.kind],
  ['URL', (endpoint) => endpoint.url],
];

const asJson = (endpoint: ListedEndpoint): Record<string, unknown> => ({
  endpoint_id: endpoint.endpointId,
  company: endpoint.company,
  environment: endpoint.kind,
  url: endpoint.url,
  status: statusOf(endpoint),
  failing_since: endpoint.failingSince,
  next_attempt_at: endpoint.nextProbeAt,
  last_delivered_at: endpoint.deliveredAt,
  events_behind: endpoint.behind,
  events_waiting: endpoint.waiting,
});

function parseEndpointId(text: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('An endpoint_id is a UUID. "webhooks list" shows it.');
}

function existing<T>(found: T | undefined): T {
  if (found === undefined) throw new OperatorError('There is no webhook endpoint with this id.');
  return found;
}

function parseSequence(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('A sequence is a positive integer.');
}

interface ListOptions {
  json?: boolean;
  failing?: boolean;
  limit: number;
  skip: number;
}

function listCommand(): Command {
  return lookCommand('list', 'list webhook endpoints, longest-failing first')
    .argument('[company]', 'only this company')
    .option('--failing', 'only endpoints with the status failing')
    .addOption(limitOption(50))
    .addOption(skipOption())
    .action((company: string | undefined, options: ListOptions) =>
      lookAt(
        company,
        ({ webhookEndpoints }) =>
          webhookEndpoints.list({ company, isFailing: options.failing ?? false, ...oneMore(options) }),
        (endpoints) => {
          const { rows, hasMore } = pageOf(endpoints, options);
          if (options.json) printJson({ endpoints: rows.map(asJson), has_more: hasMore });
          else printTable(columns, rows, 'No webhook endpoints found.');
        },
      ),
    );
}

const attemptColumns: Columns<ShownAttempt> = [
  ['WHEN', (attempt) => attempt.attemptedAt, 'whole'],
  ['EVENT_ID', (attempt) => attempt.eventId, 'whole'],
  ['KIND', (attempt) => attempt.kind],
  ['ATTEMPT', (attempt) => attempt.attempt],
  ['OUTCOME', (attempt) => attempt.outcome],
  ['FAILURE', (attempt) => attempt.failure],
  ['STATUS', (attempt) => attempt.status],
];

const shownAsJson = (endpoint: ShownEndpoint): Record<string, unknown> => ({
  ...asJson(endpoint),
  types: endpoint.types,
  position: endpoint.position,
  replay_id: endpoint.replay?.replayId ?? null,
  replay_position: endpoint.replay?.position ?? null,
  replay_delivered_count: endpoint.replay?.deliveredCount ?? null,
  replay_event_count: endpoint.replay?.eventCount ?? null,
});

function showCommand(): Command {
  return lookCommand(
    'show',
    'show a webhook endpoint and its last 10 attempts, except first attempts that succeeded',
  )
    .argument('<endpoint-id>', 'endpoint_id, as "webhooks list" shows it', parseEndpointId)
    .action((endpointId: string, options: { json?: boolean }) =>
      look(
        async ({ webhookEndpoints }) => existing(await webhookEndpoints.show(endpointId)),
        (endpoint) => {
          const attempts = endpoint.attempts.map((attempt) => ({
            attempted_at: attempt.attemptedAt,
            event_id: attempt.eventId,
            kind: attempt.kind,
            attempt: attempt.attempt,
            outcome: attempt.outcome,
            failure: attempt.failure,
            status: attempt.status,
          }));
          if (options.json) {
            printJson({ ...shownAsJson(endpoint), attempts });
            return;
          }
          printResult(options, { ...shownAsJson(endpoint), types: endpoint.types.join(' ') || 'all' });
          printTable(attemptColumns, endpoint.attempts, 'No attempts found.');
        },
      ),
    );
}

function disableCommand(): Command {
  return actCommand(
    'disable',
    'stop deliveries to a webhook endpoint. It keeps its position, and the partner can enable it again',
  )
    .argument('<endpoint-id>', 'endpoint_id, as "webhooks list" shows it', parseEndpointId)
    .action((endpointId: string, options: ActOptions) =>
      act(
        {
          command: 'webhooks disable',
          arguments: {},
          async work({ webhookEndpoints }) {
            return existing(await webhookEndpoints.disable(endpointId));
          },
          record: (changed) => ({ target: endpointId, result: { changed } }),
        },
        options,
        (changed) => {
          printResult(options, { endpoint_id: endpointId, status: 'disabled', changed });
        },
      ),
    );
}

/** Enables an endpoint. Returns the status that it then has. */
async function enable(
  { webhookEndpoints }: Operations,
  endpointId: string,
): Promise<{ status: string; changed: boolean }> {
  const changed = existing(await webhookEndpoints.enable(endpointId));
  const status = statusOf(existing(await webhookEndpoints.show(endpointId)));
  if (status === 'unverified' && !changed)
    throw new OperatorError(
      `This endpoint is unverified. It receives events after the partner sends POST /webhook-endpoints/${endpointId}/ping and its receiver responds with a 2xx status.`,
    );
  return { status, changed };
}

function enableCommand(): Command {
  return actCommand(
    'enable',
    'enable a disabled webhook endpoint, or retry a failing one now. Deliveries continue with the event after its position',
  )
    .argument('<endpoint-id>', 'endpoint_id, as "webhooks list" shows it', parseEndpointId)
    .action((endpointId: string, options: ActOptions) =>
      act(
        {
          command: 'webhooks enable',
          arguments: {},
          work: (operations) => enable(operations, endpointId),
          record: ({ changed }) => ({ target: endpointId, result: { changed } }),
        },
        options,
        (enabled) => {
          printResult(options, { endpoint_id: endpointId, ...enabled });
        },
      ),
    );
}

interface ReplayOptions extends ActOptions {
  from?: Date;
  to?: Date;
  fromSequence?: number;
  toSequence?: number;
  exhausted?: boolean;
}

const replayRequest = ({ from, to, fromSequence, toSequence, exhausted }: ReplayOptions): ReplayRequest => ({
  from: from?.toISOString(),
  to: to?.toISOString(),
  fromSequence,
  toSequence,
  types: [],
  only: exhausted === true ? 'exhausted' : 'all',
});

/** Only the partner's key pair can cancel a replay. */
async function runningReplay(endpoints: Operations['webhookEndpoints'], endpointId: string): Promise<string> {
  const { replay } = existing(await endpoints.show(endpointId));
  const path = `/webhook-endpoints/${endpointId}/replays/${replay?.replayId ?? 'REPLAY_ID'}/cancel`;
  return `This endpoint has a running replay. Wait until it ends, or let the partner cancel it: POST ${path}.`;
}

/** Checks the options, and reports an error of the service as an error of the command. */
async function replay(
  { webhookEndpoints, webhookReplays }: Operations,
  endpointId: string,
  options: ReplayOptions,
): Promise<WebhookReplay> {
  const hasTimes = options.from !== undefined || options.to !== undefined;
  const hasNumbers = options.fromSequence !== undefined || options.toSequence !== undefined;
  if (hasTimes ? options.from === undefined || hasNumbers : options.fromSequence === undefined)
    throw new OperatorError(
      'Specify --from, with or without --to, or --from-sequence, with or without --to-sequence.',
    );
  const environmentId = existing(await webhookEndpoints.environmentOf(endpointId));
  try {
    return await webhookReplays.create(environmentId, endpointId, replayRequest(options));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const detail =
      error.code === 'webhook_replay_running'
        ? await runningReplay(webhookEndpoints, endpointId)
        : (error.errors[0]?.detail ?? error.message);
    throw new OperatorError(detail, { cause: error });
  }
}

function replayCommand(): Command {
  return actCommand(
    'replay',
    'send a part of the feed to a webhook endpoint again, at a limited rate that does not delay new events. --dry-run only counts the events',
  )
    .argument('<endpoint-id>', 'endpoint_id, as "webhooks list" shows it', parseEndpointId)
    .option('--from <time>', 'only events added to the feed at or after this UTC time', parseTime)
    .option('--to <time>', 'only events added to the feed before this UTC time', parseTime)
    .option('--from-sequence <number>', 'sequence of the first event to send', parseSequence)
    .option('--to-sequence <number>', 'sequence of the last event to send', parseSequence)
    .option('--exhausted', 'only events that the service stopped retrying')
    .action((endpointId: string, options: ReplayOptions) =>
      act(
        {
          command: 'webhooks replay',
          arguments: { ...replayRequest(options) },
          work: (operations) => replay(operations, endpointId, options),
          record: ({ replayId, eventCount }) => ({
            target: endpointId,
            result: { replay_id: replayId, event_count: eventCount },
          }),
        },
        options,
        (created) => {
          printResult(options, {
            endpoint_id: endpointId,
            // A dry run creates no replay.
            ...(options.dryRun !== true && { replay_id: created.replayId }),
            from_sequence: created.fromSequence,
            to_sequence: created.toSequence,
            event_count: created.eventCount,
          });
        },
      ),
    );
}

export function webhooksCommand(): Command {
  return new Command('webhooks')
    .description('list, show, disable and enable webhook endpoints, and replay events')
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(disableCommand())
    .addCommand(enableCommand())
    .addCommand(replayCommand());
}
