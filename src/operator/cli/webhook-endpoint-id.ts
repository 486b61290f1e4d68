import { Argument, InvalidArgumentError } from 'commander';

import { OperatorError } from '../../shared/operator-error';

function parseEndpointId(text: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('An endpoint_id is a UUID. "webhooks list" shows it.');
}

export const endpointIdArgument = (): Argument =>
  new Argument('<endpoint-id>', 'endpoint_id, as "webhooks list" shows it').argParser(parseEndpointId);

/** @throws OperatorError if there is no such endpoint */
export function existing<T>(found: T | undefined): T {
  if (found === undefined) throw new OperatorError('There is no webhook endpoint with this id.');
  return found;
}
