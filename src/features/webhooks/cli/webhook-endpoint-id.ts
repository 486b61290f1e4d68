import { Argument, Option } from 'commander';

import { parseUuid } from '../../../operator/cli/options';
import { OperatorError } from '../../../shared/operator-error';

export const endpointIdArgument = (): Argument =>
  new Argument('<endpoint-id>', 'endpoint_id, as "webhooks list" shows it').argParser(
    parseUuid('An endpoint_id is a UUID. "webhooks list" shows it.'),
  );

export const eventIdOption = (): Option =>
  new Option('--event <event-id>', 'only the attempts to deliver this event').argParser(
    parseUuid('The id of an event is a UUID. Its partner got it as webhook-id.'),
  );

/** @throws OperatorError if there is no such endpoint */
export function existing<T>(found: T | undefined): T {
  if (found === undefined) throw new OperatorError('There is no webhook endpoint with this id.');
  return found;
}
