import { columns, type Command, type Context, type ExitCode, textOf, UsageError } from './command.js';
import { noEndpoint, onlyEndpointOf } from './endpoint-of.js';
import { deliver, isAccepted, readState, stateFile } from './listener.js';

/** Sends the event to the receiver of `listen`. Undefined if `listen` was never run here. */
async function resendToListener(
  { client, values, print }: Context,
  eventId: string,
): Promise<ExitCode | undefined> {
  const state = await readState(stateFile(values));
  if (state?.forward_to === undefined) return undefined;
  const event = await client().events.retrieve(eventId);
  const outcome = await deliver(new URL(state.forward_to), state.secret, event, true);
  print({ event_id: event.id, outcome }, columns([[event.id, state.forward_to, String(outcome)]]));
  return isAccepted(outcome) ? 0 : 1;
}

async function resendToEndpoint(
  { client, print }: Context,
  eventId: string,
  endpointId: string,
): Promise<ExitCode> {
  const attempt = await client().webhookEndpoints.resend(endpointId, eventId);
  const { outcome, status, failure, duration_ms: ms } = attempt;
  const cells = [outcome, status === null ? (failure ?? '') : `status ${status}`, `${ms} ms`];
  print(attempt, columns([[attempt.event_id, ...cells]]));
  return outcome === 'delivered' ? 0 : 1;
}

export const resend: Command = {
  summary: 'send an event of your feed again, to a webhook endpoint or to the receiver of "listen"',
  help: `Usage: contribution-service-sdk resend EVENT_ID [OPTIONS]

Sends an event of your feed to a webhook endpoint again, and shows the receiver's response. The request
has the header Webhook-Replayed: true. "tail --json" shows the ids of events. If you have no endpoint, the
event goes to the receiver of the last "listen" command in this folder.

  --endpoint ENDPOINT_ID   the endpoint; needed if you have several
  --listener               send it to the receiver of "listen", even if you have an endpoint
  --state FILE             the state file of "listen", default .contribution-listen.json`,
  options: { endpoint: { type: 'string' }, listener: { type: 'boolean' }, state: { type: 'string' } },
  worksInProduction: false,
  left: 'The event was sent again. This cannot be undone.',
  async run(context) {
    const { client, positionals, values } = context;
    const [eventId, ...others] = positionals;
    if (eventId === undefined || others.length > 0) throw new UsageError('Pass the id of one event.');
    if (values['listener'] === true) {
      const exitCode = await resendToListener(context, eventId);
      if (exitCode === undefined) throw new UsageError('Run "listen" first, or pass its file with --state.');
      return exitCode;
    }
    const endpointId = textOf(values, 'endpoint') ?? (await onlyEndpointOf(client()));
    if (endpointId !== undefined) return resendToEndpoint(context, eventId, endpointId);
    const exitCode = await resendToListener(context, eventId);
    if (exitCode === undefined) throw new UsageError(noEndpoint);
    return exitCode;
  },
};
