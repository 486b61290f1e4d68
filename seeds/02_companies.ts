import type { Knex } from 'knex';

import { readSettings } from '../src/read-settings';
import { type Demo, type DemoRole, readDemo, writeDemo } from '../src/startup/demo-file';
import { peppersOf } from '../src/startup/peppers';
import { createCompaniesStore } from '../src/core/companies/companies.store';
import { createKeyPairLifecycleStore } from '../src/core/key-pairs/key-pair-lifecycle.store';
import { createSandboxSettingsStore } from '../src/features/sandbox/sandbox-settings.store';
import { currentPepperVersion, drawKeyPair, hashSecret } from '../src/core/key-pairs/credentials';
import { listScopes } from '../src/contracts';
import { type EnvironmentKind, environmentKinds } from '../src/shared/scopes';
import { withSeedDatabase } from './demo/database';
import { demoUsers } from './demo/users';

const companies: readonly { name: string; role: DemoRole }[] = [
  { name: 'Brightside Apps', role: 'sdk_host' },
  { name: 'First Harbor Bank', role: 'partner_bank' },
  { name: 'Northwind Rewards', role: 'stranger' },
];

/** The demo's companies, with the credentials in demo.json. Generates the file if it is missing. */
export async function seed(knex: Knex): Promise<void> {
  const config = readSettings(process.env);
  const baseUrl = config.PUBLIC_BASE_URL ?? `http://localhost:${config.PORT}`;
  const demo = { ...(readDemo(config.DATA_DIRECTORY) ?? drawDemo(baseUrl)), base_url: baseUrl };
  // Writes the file before the database, so working credentials are never lost.
  writeDemo(config.DATA_DIRECTORY, demo);
  const peppers = peppersOf(config);
  const pepperVersion = currentPepperVersion(peppers);

  await withSeedDatabase(knex, async (database) => {
    const store = createCompaniesStore(database);
    const keyPairs = createKeyPairLifecycleStore(database);
    const stored = await Promise.all(
      demo.companies.map(async ({ name }) => {
        const company = (await store.create(name)) ?? (await store.find(name));
        if (!company) throw new Error(`company ${name} was not stored`);
        return company;
      }),
    );
    for (const [index, { environments }] of demo.companies.entries()) {
      for (const kind of environmentKinds) {
        const { api_key: apiKey, api_secret: apiSecret } = environments[kind];
        if (await knex('key_pairs').where({ api_key: apiKey }).first('api_key')) continue;
        await keyPairs.add({
          apiKey,
          environmentId: stored[index]?.environments[kind] ?? 0,
          secretHmac: hashSecret(apiSecret, peppers, pepperVersion),
          pepperVersion,
          scopes: listScopes().ofKind(kind),
          expiresAt: undefined,
        });
      }
    }
    const [sdkHost, bank, stranger] = stored;
    if (!sdkHost || !bank) throw new Error('the demo has no SDK host or no bank');
    for (const kind of environmentKinds) await store.linkBank(kind, sdkHost, bank);
    // One company has a real bank. Another one has the simulated bank.
    if (!stranger) throw new Error('the demo has no third company');
    await createSandboxSettingsStore(database).set(stranger.environments.test, {
      bank: 'simulated',
      settleAfterSeconds: 2,
      magicAmounts: true,
    });
  });
}

function drawDemo(baseUrl: string): Demo {
  const pair = (kind: EnvironmentKind) => {
    const { apiKey, apiSecret } = drawKeyPair(kind);
    return { api_key: apiKey, api_secret: apiSecret };
  };
  return {
    base_url: baseUrl,
    companies: companies.map(({ name, role }) => ({
      name,
      role,
      environments: { test: pair('test'), production: pair('production') },
    })),
    users: demoUsers.map(({ state, userHash }) => ({ state, user_hash: userHash })),
  };
}
