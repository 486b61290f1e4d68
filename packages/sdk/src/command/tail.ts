import { RequestRejected } from '../errors.js';
import { type Event, eventTypes } from '../generated/api.js';
import { columns, type Command, integerOf, suggestionFor, textOf, UsageError } from './command.js';
import { followFeed, startOf } from './feed-position.js';

export const rowOf = ({ sequence, timestamp, type, data }: Event): string[] => [
  String(sequence),
  timestamp,
  type,
  'transaction_id' in data ? (data.transaction_id ?? '') : '',
  'amount' in data ? data.amount : '',
];

/** Only the service rejects a type, because a later version may know more types. */
function withTypes(error: unknown, type: string | undefined): unknown {
  const isRejected = error instanceof RequestRejected && error.code === 'invalid_request';
  if (!isRejected || type === undefined || eventTypes.includes(type)) return error;
  return new UsageError(`The service does not know the type ${type}. ${suggestionFor(type, eventTypes)}`);
}

export const tail: Command = {
  summary: 'print the events of your feed as they arrive',
  help: `Usage: contribution-service-sdk tail [OPTIONS]

Prints the events of your feed, and waits for new ones until you stop it. It begins with the next new event.

  --after N      begin after the event with this sequence; 0 begins with the first event
  --since 1h     begin with the events of the past hour, or of another period such as 30m or 2d
  --type TYPE    only events of this type
  --once         stop at the end of the feed`,
  options: {
    after: { type: 'string' },
    since: { type: 'string' },
    type: { type: 'string' },
    once: { type: 'boolean' },
  },
  worksInProduction: true,
  left: undefined,
  async run({ client: build, lost, positionals, values, print }) {
    if (positionals.length > 0) throw new UsageError('This command takes no arguments, only options.');
    const client = build();
    const start = await startOf(client, {
      after: integerOf(values, 'after'),
      since: textOf(values, 'since'),
    });
    const type = textOf(values, 'type');
    await followFeed({
      client,
      lost,
      after: start,
      type,
      isOnce: values['once'] === true,
      onEvent(event) {
        print(event, columns([rowOf(event)]));
      },
    }).catch((error: unknown) => {
      throw withTypes(error, type);
    });
    return 0;
  },
};
