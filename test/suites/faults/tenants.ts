import { Client } from 'pg';

import { sessionConfig } from '../../../src/db/session-settings';
import { createOperatorDatabase } from '../../../src/db/operator-database';
import { createOperations } from '../../../src/operator/commands/operations';
import type { EnvironmentKind } from '../../../src/shared/scopes';
import type { TenantEnvironment, Tenants } from './clients/environments';
import type { KeyPair } from './clients/http';
import { scopesOfKind } from '../../support/scopes';

const activeProjectCount = 40;

/**
 * A company that completes its own contributions, one with a bank, the bank, an unrelated company,
 * and a catalogue.
 */
export async function createTenants(ownerUrl: string, pepper: string): Promise<Tenants> {
  const database = createOperatorDatabase(ownerUrl);
  const client = new Client(sessionConfig({ connectionString: ownerUrl, ssl: false }));
  await client.connect();
  try {
    const { companies, keyPairs } = createOperations(database, new Map([[1, Buffer.from(pepper, 'utf8')]]));
    const issue = (company: string, kind: EnvironmentKind): Promise<KeyPair> =>
      keyPairs.issue({ company, kind, scopes: scopesOfKind(kind), expiresAt: undefined });
    const wallet = await companies.create('Wallet');
    const host = await companies.create('Host');
    const bank = await companies.create('Bank');
    await companies.create('Stranger');
    await companies.linkBank('production', 'Host', 'Bank');

    async function ownBank(kind: EnvironmentKind): Promise<TenantEnvironment> {
      const pair = await issue('Wallet', kind);
      return {
        environmentId: wallet.environments[kind],
        company: pair,
        completer: pair,
        completerEnvironmentId: wallet.environments[kind],
        hasBank: false,
        stranger: await issue('Stranger', kind),
      };
    }
    const environments: TenantEnvironment[] = [
      await ownBank('test'),
      await ownBank('production'),
      {
        environmentId: host.environments.production,
        company: await issue('Host', 'production'),
        completer: await issue('Bank', 'production'),
        completerEnvironmentId: bank.environments.production,
        hasBank: true,
        stranger: await issue('Stranger', 'production'),
      },
    ];
    const { rows } = await client.query<{ project_id: number }>(
      `INSERT INTO projects (project_name, project_image_url, rank)
       SELECT 'Project ' || number, '/demo/' || number || '.svg', number FROM generate_series(1, $1) AS number
       RETURNING project_id`,
      [activeProjectCount],
    );
    return { environments, activeProjects: rows.map((row) => row.project_id) };
  } finally {
    await client.end();
    await database.close();
  }
}
