import { Command, InvalidArgumentError } from 'commander';

import type { ListedEndpoint } from '../../modules/webhooks/operator-endpoints.store';
import { OperatorError } from '../../shared/operator-error';
import { act, type ActOptions, look } from './operator';
import { actCommand, limitOption, lookCommand, printResult, skipOption } from './options';
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
});

function parseEndpointId(text: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('An endpoint_id is a UUID. "webhooks list" shows it.');
}

interface ListOptions {
  json?: boolean;
  failing?: boolean;
  limit: number;
  skip: number;
}

function listCommand(): Command {
  return lookCommand('list', 'list webhook endpoints, the longest failing first')
    .argument('[company]', 'only this company')
    .option('--failing', 'only endpoints whose deliveries are stopped because they fail')
    .addOption(limitOption(50))
    .addOption(skipOption())
    .action((company: string | undefined, options: ListOptions) =>
      look(
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
            const changed = await webhookEndpoints.disable(endpointId);
            if (changed === undefined) throw new OperatorError('There is no webhook endpoint with this id.');
            return changed;
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

export function webhooksCommand(): Command {
  return new Command('webhooks')
    .description('list and disable webhook endpoints')
    .addCommand(listCommand())
    .addCommand(disableCommand());
}
