import { type Command, InvalidArgumentError } from 'commander';

import type { WebhookReplay } from '../replays/webhook-replay';
import type { ReplayRequest } from '../replays/webhook-replays.service';
import { ServiceError } from '../../../shared/errors';
import type { ChangeOptions } from '../../../operator/cli/change';
import { OperatorError } from '../../../shared/operator-error';
import type { CommandIo } from '../../../operator/cli/command-io';
import { changeCommand, parseTime, withOrderedRange } from '../../../operator/cli/options';
import { shellWords, undoWith } from '../../../operator/cli/shell-words';
import { endpointIdArgument, existing } from './webhook-endpoint-id';
import { runChange, type WebhookOperations } from './webhooks.operations';

function parseSequence(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('A sequence is a positive integer.');
}

interface ReplayOptions extends ChangeOptions {
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

/** Checks the options, and reports an error of the service as an error of the command. */
async function replay(
  { webhookEndpoints, webhookReplays }: WebhookOperations,
  endpointId: string,
  options: ReplayOptions,
): Promise<WebhookReplay> {
  const hasTimes = options.from !== undefined || options.to !== undefined;
  const hasNumbers = options.fromSequence !== undefined || options.toSequence !== undefined;
  if (hasTimes ? options.from === undefined || hasNumbers : options.fromSequence === undefined)
    throw new OperatorError(
      'Specify --from, with or without --to, or --from-sequence, with or without --to-sequence.',
    );
  if (options.toSequence !== undefined && options.toSequence < (options.fromSequence ?? 0))
    throw new OperatorError('--to-sequence must not be lower than --from-sequence.');
  const environmentId = existing(await webhookEndpoints.environmentOf(endpointId));
  try {
    return await webhookReplays.create(environmentId, endpointId, replayRequest(options));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const detail =
      error.code === 'webhook_replay_running'
        ? `This endpoint has a running replay. Wait until it ends, or run webhooks cancel-replay ${endpointId}.`
        : (error.errors[0]?.detail ?? error.message);
    throw new OperatorError(detail, { cause: error });
  }
}

export function replayCommand(io: CommandIo): Command {
  return withOrderedRange(
    changeCommand(
      'replay',
      'send a part of the feed to a webhook endpoint again, at a limited rate that does not delay new events. Requires --from or --from-sequence. --dry-run only counts the events',
    ),
  )
    .addArgument(endpointIdArgument())
    .option('--from <time>', 'only events added to the feed at or after this UTC time', parseTime)
    .option('--to <time>', 'only events added to the feed before this UTC time (default: now)', parseTime)
    .option('--from-sequence <number>', 'sequence of the first event to send', parseSequence)
    .option(
      '--to-sequence <number>',
      'sequence of the last event to send (default: the position of the endpoint)',
      parseSequence,
    )
    .option('--exhausted', 'only events that the service stopped retrying in the last 30 days')
    .action((endpointId: string, options: ReplayOptions) =>
      runChange(
        io,
        {
          command: 'webhooks replay',
          arguments: { ...replayRequest(options) },
          work: (operations) => replay(operations, endpointId, options),
          record: ({ replayId, eventCount }) => ({
            target: endpointId,
            result: { replay_id: replayId, event_count: eventCount },
          }),
          leaves: ({ replayId }) =>
            `The replay ${replayId} of the endpoint ${endpointId} exists now. ${undoWith('webhooks', 'cancel-replay', endpointId)}`,
        },
        options,
        (created) => ({
          endpoint_id: endpointId,
          // A dry run creates no replay.
          ...(options.dryRun !== true && { replay_id: created.replayId }),
          from_sequence: created.fromSequence,
          to_sequence: created.toSequence,
          event_count: created.eventCount,
        }),
      ),
    );
}

export function cancelReplayCommand(io: CommandIo): Command {
  return changeCommand(
    'cancel-replay',
    'end the running replay of a webhook endpoint, whether the partner or an operator started it. Deliveries of new events and retries continue',
  )
    .addArgument(endpointIdArgument())
    .action((endpointId: string, options: ChangeOptions) =>
      runChange(
        io,
        {
          command: 'webhooks cancel-replay',
          async work({ webhookEndpoints, cancelRunning }) {
            const environmentId = existing(await webhookEndpoints.environmentOf(endpointId));
            return (await cancelRunning(environmentId, endpointId)) ?? null;
          },
          record: (canceled) => ({
            target: endpointId,
            result: { changed: canceled !== null, replay_id: canceled?.replayId ?? null },
          }),
          leaves: (canceled) =>
            canceled === null
              ? undefined
              : `The replay ${canceled.replayId} of the endpoint ${endpointId} has ended. To undo it, replay the rest: ${shellWords('webhooks', 'replay', endpointId, '--from-sequence', canceled.position + 1, '--to-sequence', canceled.toSequence)}`,
        },
        options,
        (canceled) => ({
          endpoint_id: endpointId,
          replay_id: canceled?.replayId ?? null,
          replay_position: canceled?.position ?? null,
          replay_delivered_count: canceled?.deliveredCount ?? null,
          replay_event_count: canceled?.eventCount ?? null,
          changed: canceled !== null,
        }),
      ),
    );
}
