import type { EndpointContract } from '../../../src/http/contract';
import { drawKeyPair } from '../../../src/core/key-pairs/credentials';
import type { Scope } from '../../../src/shared/scopes';
import { type Client, createClient } from '../client';
import { operate } from '../operations';
import type { TestCompany, TestService } from '../service';
import type { CallerName } from './rules';
import { createWorld, type World } from './worlds';
import { scopes } from '../scopes';

/**
 * What a caller may see of a world: everything, the transactions as a bank sees them, only the
 * events that its feed has from before, or nothing. What a caller may not see does not exist.
 */
export type Visibility = 'all' | 'bank' | 'feed' | 'nothing';

export interface Caller {
  /** The world whose transactions, users and keys it requests. */
  world: World;
  visibility: Visibility;
  environmentId: number | undefined;
  /** The credentials with which it calls an operation. */
  clientFor: (contract: EndpointContract) => Client;
}

/** Every caller of the rule table, with the world whose data it requests. */
export async function createCallers(service: TestService): Promise<Record<CallerName, Caller>> {
  const { companies, keyPairs, server, database } = service;
  const none = (): Promise<undefined> => Promise.resolve(undefined);
  const addPair = (company: TestCompany, pairScopes: readonly Scope[] = scopes) =>
    service.addPair(company, 'test', pairScopes);

  const bank = await service.addCompany('Bank');
  const bankUnlinkedSince = await service.addCompany('Bank unlinked since');
  const bankUnlinkedBefore = await service.addCompany('Bank unlinked before');
  const bankByMistake = await service.addCompany('Bank by mistake');
  const stranger = await service.addCompany('Stranger');

  const own = await createWorld(service, 'own', none);
  const suspended = await createWorld(service, 'suspended', none);
  await database.admin.query('UPDATE companies SET suspended_at = now() WHERE name = $1', [
    suspended.company.name,
  ]);
  const rotating = await createWorld(service, 'rotating', none);
  const banked = await createWorld(service, 'banked', async ({ name }) => {
    await companies.linkBank('test', name, bankUnlinkedBefore.name);
    await companies.unlinkBank('test', name, bankUnlinkedBefore.name);
    for (const { name: bankName } of [bank, bankByMistake]) await companies.linkBank('test', name, bankName);
    return bank.test;
  });
  // It saw everything until its link was voided.
  await operate(database, ({ bankLinks }) =>
    bankLinks.void({ kind: 'test', company: banked.company.name, bank: bankByMistake.name }, undefined),
  );
  const simulated = await createWorld(service, 'simulated', none);
  await simulated.company.test
    .put('/company/integration/sandbox/settings', { bank: 'simulated', settle_after_seconds: 3_600 })
    .expect(200);
  const unlinked = await createWorld(service, 'unlinked', async ({ name }) => {
    await companies.linkBank('test', name, bankUnlinkedSince.name);
    return bankUnlinkedSince.test;
  });
  await companies.unlinkBank('test', unlinked.company.name, bankUnlinkedSince.name);

  // Two banks were linked while one of them completed everything; a third is linked now.
  const [completing, beside, afterwards] = [
    await service.addCompany('Completing bank'),
    await service.addCompany('Bank beside'),
    await service.addCompany('Bank afterwards'),
  ];
  const settled = await createWorld(service, 'settled', async ({ name }) => {
    for (const { name: bankName } of [completing, beside]) await companies.linkBank('test', name, bankName);
    return completing.test;
  });
  for (const id of settled.transactionIds) {
    const address = `/company/integration/contributions/${id}`;
    await completing.test.put(address, { status: 'completed' }).expect(200);
  }
  await companies.linkBank('test', settled.company.name, afterwards.name);

  const restricted = new Map<Scope, Client>();
  for (const missing of scopes) {
    restricted.set(
      missing,
      await addPair(
        own.company,
        scopes.filter((scope) => scope !== missing),
      ),
    );
  }
  const newer = await addPair(rotating.company);

  // At most two pairs may be live: inactive pairs are created first, or belong to another company.
  const revoked = await addPair(own.company);
  await keyPairs.revoke(revoked.apiKey!);
  const expiredPair = await keyPairs.issue({
    company: own.company.name,
    kind: 'test',
    scopes,
    expiresAt: new Date(Date.now() - 1_000),
  });
  const rotatedOut = await createWorld(service, 'rotated-out', none);
  await addPair(rotatedOut.company);
  await keyPairs.revoke(rotatedOut.company.test.apiKey!);

  const good = (
    world: World,
    company: TestCompany,
    visibility: Visibility,
    kind: 'test' | 'production' = 'test',
  ) => ({
    world,
    visibility,
    environmentId: visibility === 'all' ? world.environmentId : environmentIds.get(`${company.name} ${kind}`),
    clientFor: () => company[kind],
  });
  const refused = (apiKey: string | undefined, apiSecret: string | undefined, world = own) => ({
    world,
    visibility: 'nothing' as const,
    environmentId: undefined,
    clientFor: () => createClient(server, { apiKey, apiSecret }),
  });
  const environments = await database.admin.query<{ name: string; environment_id: number }>(
    `SELECT name || ' ' || kind AS name, environment_id FROM environments JOIN companies USING (company_id)`,
  );
  const environmentIds = new Map(environments.rows.map((row) => [row.name, row.environment_id]));
  const unknown = drawKeyPair('test');
  const { test, production } = own.company;

  return {
    'the owner': good(own, own.company, 'all'),
    'the owner, older pair of two': good(rotating, rotating.company, 'all'),
    'the owner, without the scope': {
      ...good(own, own.company, 'nothing'),
      // Without a scope of its own, an operation accepts every pair.
      clientFor: ({ scope }) => restricted.get(scope ?? 'contributions:read')!,
    },
    'the owner, suspended': good(suspended, suspended.company, 'all'),
    'the owner, other environment': good(own, own.company, 'nothing', 'production'),
    'another company': good(own, stranger, 'nothing'),
    "another company's bank": good(own, bank, 'nothing'),
    'the owner, simulated bank': good(simulated, simulated.company, 'all'),
    'the owner with a bank': good(banked, banked.company, 'all'),
    'its bank': good(banked, bank, 'bank'),
    'its bank, other environment': good(banked, bank, 'nothing', 'production'),
    'its bank, unlinked since': good(unlinked, bankUnlinkedSince, 'bank'),
    'its bank, unlinked before': good(banked, bankUnlinkedBefore, 'nothing'),
    'its bank, linked by mistake': good(banked, bankByMistake, 'feed'),
    'its bank, another completed': good(settled, beside, 'bank'),
    'its bank, linked afterwards': good(settled, afterwards, 'nothing'),
    'a revoked pair': refused(revoked.apiKey, revoked.apiSecret),
    'an expired pair': refused(expiredPair.apiKey, expiredPair.apiSecret),
    'a pair that was rotated out': refused(
      rotatedOut.company.test.apiKey,
      rotatedOut.company.test.apiSecret,
      rotatedOut,
    ),
    'a pair that was never issued': refused(unknown.apiKey, unknown.apiSecret),
    'the key of one pair, the secret of the other': refused(
      rotating.company.test.apiKey,
      newer.apiSecret,
      rotating,
    ),
    "the owner's key, a stranger's secret": refused(test.apiKey, stranger.test.apiSecret),
    "a stranger's key, the owner's secret": refused(stranger.test.apiKey, test.apiSecret),
    'the test key, the production secret': refused(test.apiKey, production.apiSecret),
    'a key alone': refused(test.apiKey, undefined),
    'a secret alone': refused(undefined, test.apiSecret),
    'no pair': refused(undefined, undefined),
  };
}
