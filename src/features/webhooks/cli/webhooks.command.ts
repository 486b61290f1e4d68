import { Command } from 'commander';

import type { ListedEndpoint, ShownEndpoint } from '../endpoints/operator-endpoints.store';
import type { WebhookAttempt } from '../attempts/webhook-attempts.store';
import type { ActOptions } from '../../../operator/cli/act';
import { OperatorError } from '../../../shared/operator-error';
import type { CommandIo } from '../../../operator/cli/command-io';
import { actCommand, limitOption, lookCommand, printResult, skipOption } from '../../../operator/cli/options';
import { type Columns, oneMore, pageOf, printJson, printTable } from '../../../operator/cli/output';
import { undoWith } from '../../../operator/cli/shell-words';
import { endpointIdArgument, eventIdOption, existing } from './webhook-endpoint-id';
import { cancelReplayCommand, replayCommand } from './webhook-replays.command';
import { act, look, lookAt, type WebhookOperations } from './webhooks.operations';

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

interface ListOptions {
  json?: boolean;
  failing?: boolean;
  limit: number;
  skip: number;
}

function listCommand(io: CommandIo): Command {
  return lookCommand('list', 'list webhook endpoints, longest-failing first')
    .argument('[company]', 'only this company: its name or company_id')
    .option('--failing', 'only endpoints with the status failing')
    .addOption(limitOption(50))
    .addOption(skipOption())
    .action((company: string | undefined, options: ListOptions) =>
      lookAt(
        io,
        company,
        ({ webhookEndpoints }, name) =>
          webhookEndpoints.list({ company: name, isFailing: options.failing ?? false, ...oneMore(options) }),
        (endpoints) => {
          const { rows, hasMore } = pageOf(io, endpoints, options);
          if (options.json) printJson(io, { endpoints: rows.map(asJson), has_more: hasMore });
          else printTable(io, columns, rows, 'No webhook endpoints found.');
        },
      ),
    );
}

const attemptColumns: Columns<WebhookAttempt> = [
  ['WHEN', (attempt) => attempt.attemptedAt, 'whole'],
  ['EVENT_ID', (attempt) => attempt.eventId, 'whole'],
  ['KIND', (attempt) => attempt.kind],
  ['ATTEMPT', (attempt) => attempt.attempt],
  ['OUTCOME', (attempt) => attempt.outcome],
  ['FAILURE', (attempt) => attempt.failure],
  ['STATUS', (attempt) => attempt.status],
  ['DURATION_MS', (attempt) => attempt.durationMs],
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

function showCommand(io: CommandIo): Command {
  return lookCommand(
    'show',
    'show a webhook endpoint and its last 10 attempts. With --event: whether, when and how it received an event',
  )
    .addArgument(endpointIdArgument())
    .addOption(eventIdOption())
    .action((endpointId: string, options: { json?: boolean; event?: string }) =>
      look(
        io,
        async ({ webhookEndpoints }) => existing(await webhookEndpoints.show(endpointId, options.event)),
        (endpoint) => {
          const attempts = endpoint.attempts.map((attempt) => ({
            attempted_at: attempt.attemptedAt,
            event_id: attempt.eventId,
            kind: attempt.kind,
            attempt: attempt.attempt,
            outcome: attempt.outcome,
            failure: attempt.failure,
            status: attempt.status,
            duration_ms: attempt.durationMs,
          }));
          if (options.json) {
            printJson(io, { ...shownAsJson(endpoint), attempts });
            return;
          }
          printResult(io, options, { ...shownAsJson(endpoint), types: endpoint.types.join(' ') || 'all' });
          printTable(io, attemptColumns, endpoint.attempts, 'No attempts found.');
        },
      ),
    );
}

function disableCommand(io: CommandIo): Command {
  return actCommand(
    'disable',
    'stop deliveries to a webhook endpoint. It keeps its position, and the partner can enable it again',
  )
    .addArgument(endpointIdArgument())
    .action((endpointId: string, options: ActOptions) =>
      act(
        io,
        {
          command: 'webhooks disable',
          arguments: {},
          async work({ webhookEndpoints }) {
            return existing(await webhookEndpoints.disable(endpointId));
          },
          record: (changed) => ({ target: endpointId, result: { changed } }),
          leaves: (changed) =>
            changed
              ? `The endpoint ${endpointId} is disabled now. ${undoWith('webhooks', 'enable', endpointId)}`
              : undefined,
        },
        options,
        (changed) => {
          printResult(io, options, { endpoint_id: endpointId, status: 'disabled', changed });
        },
      ),
    );
}

/** Enables an endpoint. Returns the status that it then has. */
async function enable(
  { webhookEndpoints }: WebhookOperations,
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

function enableCommand(io: CommandIo): Command {
  return actCommand(
    'enable',
    'enable a disabled webhook endpoint, or retry a failing one now. Deliveries continue with the event after its position',
  )
    .addArgument(endpointIdArgument())
    .action((endpointId: string, options: ActOptions) =>
      act(
        io,
        {
          command: 'webhooks enable',
          arguments: {},
          work: (operations) => enable(operations, endpointId),
          record: ({ changed }) => ({ target: endpointId, result: { changed } }),
          leaves: ({ status, changed }) =>
            changed
              ? `The endpoint ${endpointId} is ${status} now. ${undoWith('webhooks', 'disable', endpointId)}`
              : undefined,
        },
        options,
        (enabled) => {
          printResult(io, options, { endpoint_id: endpointId, ...enabled });
        },
      ),
    );
}

export function webhooksCommand(io: CommandIo): Command {
  return new Command('webhooks')
    .description('list, show, disable and enable webhook endpoints, and start and cancel replays')
    .addCommand(listCommand(io))
    .addCommand(showCommand(io))
    .addCommand(disableCommand(io))
    .addCommand(enableCommand(io))
    .addCommand(replayCommand(io))
    .addCommand(cancelReplayCommand(io));
}
