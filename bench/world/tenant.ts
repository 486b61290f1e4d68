import { randomBytes } from 'node:crypto';

import { createOperatorDatabase } from '../../src/db/operator-database';
import { createOperations } from '../../src/operator/commands/operations';
import type { Peppers } from '../../src/core/key-pairs/credentials';
import { queryAt } from './server';
import { scopesOfKind } from '../../test/support/scopes';

export const pepper = randomBytes(32).toString('hex');
const peppers: Peppers = new Map([[1, Buffer.from(pepper, 'utf8')]]);
export const publicBaseUrl = 'https://api.example.org';

/** The company that sends requests, with a key pair for this run. */
export interface Tenant {
  environmentId: number;
  tag: string;
  apiKey: string;
  apiSecret: string;
  /** Headers of every request, as a proxy would send them. */
  headers: Readonly<Record<string, string>>;
}

/** @param place 1 for the largest company, which has half of all */
export async function createTenant(ownerUrl: string, place = 1): Promise<Tenant> {
  const company = `Company ${place}`;
  // Revokes the pair of an interrupted run. The generated pair is in slot 1.
  await queryAt(
    ownerUrl,
    `UPDATE key_pairs k SET revoked_at = now() FROM environments e JOIN companies c USING (company_id)
      WHERE k.environment_id = e.environment_id AND c.name = $1 AND k.slot = 2 AND k.revoked_at IS NULL`,
    [company],
  );
  const database = createOperatorDatabase(ownerUrl);
  try {
    const { keyPairs } = createOperations(database, peppers);
    const pair = await keyPairs.issue({
      company,
      kind: 'production',
      scopes: scopesOfKind('production'),
      expiresAt: undefined,
    });
    const [environment] = await queryAt<{ environment_id: number; transaction_tag: string }>(
      ownerUrl,
      'SELECT environment_id, transaction_tag FROM environments JOIN key_pairs USING (environment_id) WHERE api_key = $1',
      [pair.apiKey],
    );
    if (!environment) throw new Error(`${company} has no environment`);
    return {
      environmentId: environment.environment_id,
      tag: environment.transaction_tag,
      ...pair,
      headers: { 'API-Key': pair.apiKey, 'API-Secret': pair.apiSecret, 'X-Forwarded-Proto': 'https' },
    };
  } finally {
    await database.close();
  }
}
