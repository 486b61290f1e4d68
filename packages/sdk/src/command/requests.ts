import type { SandboxRequest } from '../generated/api.js';
import { columns, type Command, integerOf, UsageError } from './command.js';

const rowOf = (request: SandboxRequest): string[] => [
  request.received_at,
  String(request.status ?? 'none'),
  request.method,
  request.operation ?? request.path ?? 'unknown path',
  `${request.duration_ms.toFixed(1)} ms`,
  request.request_id,
  [
    request.idempotent_replayed && 'replayed',
    request.error_code,
    request.fault && `fault ${request.fault}`,
    request.transaction_id,
  ]
    .filter(Boolean)
    .join(' '),
];

export const requests: Command = {
  summary: 'list the last requests of the test environment',
  help: `Usage: contribution-service-sdk requests [OPTIONS]

Lists the last requests of your test environment, newest first, without personal data.

  --limit N   number of requests, 1 to 1000, default 20`,
  options: { limit: { type: 'string' } },
  worksInProduction: false,
  left: undefined,
  async run({ client, positionals, values, print }) {
    if (positionals.length > 0) throw new UsageError('This command takes no arguments, only options.');
    const list = await client().sandbox.requests.list({ limit: integerOf(values, 'limit') ?? 20 });
    print(list, list.data.length === 0 ? 'No requests.' : columns(list.data.map(rowOf)));
    return 0;
  },
};
