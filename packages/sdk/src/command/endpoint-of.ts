import type { ContributionService } from '../client.js';
import { columns, UsageError } from './command.js';

/**
 * The id of the only endpoint of the environment. Undefined if there is none.
 *
 * @throws UsageError if there are several
 */
export async function onlyEndpointOf(client: ContributionService): Promise<string | undefined> {
  const { data } = await client.webhookEndpoints.list();
  if (data.length <= 1) return data[0]?.endpoint_id;
  throw new UsageError(
    `Pass --endpoint. Your endpoints:\n${columns(data.map(({ endpoint_id: id, url }) => [id, url]))}`,
  );
}

export const noEndpoint =
  'You have no webhook endpoint. Create one with client.webhookEndpoints.create() and ping it, or run "listen".';
