import { Command } from 'commander';

import type { ListedEndpoint, ShownEndpoint } from '../endpoints/operator-endpoints.store';
import type { WebhookAttempt } from '../attempts/webhook-attempts.store';
import type { ChangeOptions } from '../../../operator/cli/change';
import { OperatorError } from '../../../shared/operator-error';
import type { CommandIo } from '../../../operator/cli/command-io';
import { changeCommand, limitOption, readCommand, skipOption } from '../../../operator/cli/options';
import {
  type List,
  oneMore,
  printList,
  printPage,
  printRecord,
  rowAsJson,
} from '../../../operator/cli/output';
import { undoWith } from '../../../operator/cli/shell-words';
import { endpointIdArgument, eventIdOption, existing } from './webhook-endpoint-id';
import { cancelReplayCommand, replayCommand } from './webhook-replays.command';
import { runChange, runRead, runReadOf, type WebhookOperations } from './webhooks.operations';

function statusOf({ disabledAt, disabledReason, verifiedAt, nextProbeAt }: ListedEndpoint): string {
  if (disabledAt) return `disabled (${disabledReason ?? ''})`;
  if (!verifiedAt) return 'unverified';
  return nextProbeAt ? 'failing' : 'enabled';
}

const listedEndpoints: List<ListedEndpoint> = {
  name: 'endpoints',
  fields: [
    ['endpoint_id', (endpoint) => endpoint.endpointId, 'ENDPOINT_ID', 'whole'],
    ['status', statusOf, 'STATUS'],
    ['failing_since', (endpoint) => endpoint.failingSince, 'FAILING_SINCE', 'whole'],
    ['next_attempt_at', (endpoint) => endpoint.nextProbeAt, 'NEXT_ATTEMPT', 'whole'],
    ['last_delivered_at', (endpoint) => endpoint.deliveredAt, 'LAST_DELIVERY', 'whole'],
    ['events_behind', (endpoint) => endpoint.behind, 'BEHIND'],
    ['events_waiting', (endpoint) => endpoint.waiting, 'WAITING'],
    ['company', (endpoint) => endpoint.company, 'COMPANY'],
    ['environment', (endpoint) => endpoint.kind, 'ENVIRONMENT'],
    ['url', (endpoint) => endpoint.url, 'URL'],
  ],
  whenEmpty: 'No webhook endpoints found.',
};

interface ListOptions {
  json?: boolean;
  failing?: boolean;
  limit: number;
  skip: number;
}

function listCommand(io: CommandIo): Command {
  return readCommand('list', 'list webhook endpoints, longest-failing first')
    .argument('[company]', 'only this company: its name or company_id')
    .option('--failing', 'only endpoints with the status failing')
    .addOption(limitOption(50))
    .addOption(skipOption())
    .action((company: string | undefined, options: ListOptions) =>
      runReadOf(
        io,
        company,
        ({ webhookEndpoints }, name) =>
          webhookEndpoints.list({ company: name, isFailing: options.failing ?? false, ...oneMore(options) }),
        (endpoints) => {
          printPage(io, listedEndpoints, endpoints, options);
        },
      ),
    );
}

const listedAttempts: List<WebhookAttempt> = {
  name: 'attempts',
  fields: [
    ['attempted_at', (attempt) => attempt.attemptedAt, 'WHEN', 'whole'],
    ['event_id', (attempt) => attempt.eventId, 'EVENT_ID', 'whole'],
    ['kind', (attempt) => attempt.kind, 'KIND'],
    ['attempt', (attempt) => attempt.attempt, 'ATTEMPT'],
    ['outcome', (attempt) => attempt.outcome, 'OUTCOME'],
    ['failure', (attempt) => attempt.failure, 'FAILURE'],
    ['status', (attempt) => attempt.status, 'STATUS'],
    ['duration_ms', (attempt) => attempt.durationMs, 'DURATION_MS'],
  ],
  whenEmpty: 'No attempts found.',
};

const shownAsJson = (endpoint: ShownEndpoint): Record<string, unknown> => ({
  ...rowAsJson(listedEndpoints, endpoint),
  types: endpoint.types,
  position: endpoint.position,
  replay_id: endpoint.replay?.replayId ?? null,
  replay_position: endpoint.replay?.position ?? null,
  replay_delivered_count: endpoint.replay?.deliveredCount ?? null,
  replay_event_count: endpoint.replay?.eventCount ?? null,
});

function showCommand(io: CommandIo): Command {
  return readCommand(
    'show',
    'show a webhook endpoint and its last 10 attempts. With --event: whether, when and how it received an event',
  )
    .addArgument(endpointIdArgument())
    .addOption(eventIdOption())
    .action((endpointId: string, options: { json?: boolean; event?: string }) =>
      runRead(
        io,
        async ({ webhookEndpoints }) => existing(await webhookEndpoints.show(endpointId, options.event)),
        (endpoint) => {
          const shown = shownAsJson(endpoint);
          if (!options.json) printRecord(io, { ...shown, types: endpoint.types.join(' ') || 'all' });
          printList(io, listedAttempts, endpoint.attempts, options.json, shown);
        },
      ),
    );
}

function disableCommand(io: CommandIo): Command {
  return changeCommand(
    'disable',
    'stop deliveries to a webhook endpoint. It keeps its position, and the partner can enable it again',
  )
    .addArgument(endpointIdArgument())
    .action((endpointId: string, options: ChangeOptions) =>
      runChange(
        io,
        {
          command: 'webhooks disable',
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
        (changed) => ({ endpoint_id: endpointId, status: 'disabled', changed }),
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
  return changeCommand(
    'enable',
    'enable a disabled webhook endpoint, or retry a failing one now. Deliveries continue with the event after its position',
  )
    .addArgument(endpointIdArgument())
    .action((endpointId: string, options: ChangeOptions) =>
      runChange(
        io,
        {
          command: 'webhooks enable',
          work: (operations) => enable(operations, endpointId),
          record: ({ changed }) => ({ target: endpointId, result: { changed } }),
          leaves: ({ status, changed }) =>
            changed
              ? `The endpoint ${endpointId} is ${status} now. ${undoWith('webhooks', 'disable', endpointId)}`
              : undefined,
        },
        options,
        (enabled) => ({ endpoint_id: endpointId, ...enabled }),
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
