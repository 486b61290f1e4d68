import { createOperatorDatabase } from '../../../src/db/operator-database';
import { createOperations } from '../../../src/operator/cli/operations';
import { drawKeyPair, type KeyPair, type Peppers } from '../../../src/modules/key-pairs/credentials';
import { type EnvironmentKind, type Scope, scopesOfKind } from '../../../src/shared/scopes';
import { addProject, addStory, archiveProject, archiveStory } from '../../support/catalogue';
import type { TestDatabase } from '../../support/database';
import { endArmedFaults } from '../../support/sandbox-faults';
import type { Exchange } from './cases/case';
import { caseOf } from './cases/request-parts';
import type { FuzzWorld } from './cases/valid-request';
import { readResponses } from './oracle/responses';

const activeProjects = 8;
const transactionsOfEach = 60;

/** Creates a contribution with a key pair. */
export type Create = (pair: KeyPair, projectId: number) => Promise<string>;

/**
 * Companies of every kind that credentials can belong to, a catalogue, and contributions.
 *
 * @param create creates a contribution through the service
 * @param headers added by a proxy to each request
 */
export async function createWorld(
  database: TestDatabase,
  peppers: Peppers,
  create: Create,
  headers: FuzzWorld['headers'],
): Promise<FuzzWorld> {
  await endArmedFaults(database.admin);
  const operatorDatabase = createOperatorDatabase(database.ownerUrl);
  const { companies, keyPairs } = createOperations(operatorDatabase, peppers);
  const issue = (company: string, kind: EnvironmentKind, scopes: readonly Scope[] = scopesOfKind(kind)) =>
    keyPairs.issue({ company, kind, scopes, expiresAt: undefined });
  try {
    for (const name of ['Wallet', 'Host', 'Bank', 'Gone']) await companies.create(name);
    await companies.linkBank('production', 'Host', 'Bank');

    const projectIds: number[] = [];
    for (let rank = 1; rank <= activeProjects; rank += 1) {
      projectIds.push(await addProject(database.admin, { name: `Project ${rank}`, rank }));
    }
    const archived = await addProject(database.admin, { name: 'Archived' });
    await archiveProject(database.admin, archived);
    const storyIds: number[] = [];
    for (const projectId of projectIds) storyIds.push(await addStory(database.admin, projectId));
    const [taken] = storyIds;
    if (taken !== undefined) await archiveStory(database.admin, taken);

    const own = [
      await issue('Wallet', 'test'),
      await issue('Wallet', 'production'),
      await issue('Host', 'production'),
    ];
    const ids = await Promise.all(
      own.map(async (pair) => {
        const made: string[] = [];
        for (let number = 0; number < transactionsOfEach; number += 1) {
          made.push(await create(pair, projectIds[number % projectIds.length]!));
        }
        return made;
      }),
    );
    const environments = own.map((pair, number) => ({ pair, transactionIds: ids[number]! }));
    // The bank completes contributions of its company.
    environments.push({ pair: await issue('Bank', 'production'), transactionIds: ids[2]! });

    const revoked = await issue('Wallet', 'test', ['projects:read']);
    await keyPairs.revoke(revoked.apiKey);
    const suspended = await issue('Gone', 'production');
    await database.admin.query(`UPDATE companies SET suspended_at = now() WHERE name = 'Gone'`);
    const odd = [
      revoked,
      suspended,
      await issue('Wallet', 'production', ['projects:read']),
      await issue('Bank', 'production', ['contributions:complete']),
      drawKeyPair('test'),
    ];
    return {
      environments,
      odd,
      projectIds: [...projectIds, archived, 999_999],
      storyIds: [...storyIds, 999_999],
      headers,
    };
  } finally {
    await operatorDatabase.close();
  }
}

/** Creates over the same transport as the cases. The first response other than 201 ends the run. */
export function createOver(exchange: Exchange, headers: FuzzWorld['headers']): Create {
  return async ({ apiKey, apiSecret }, projectId) => {
    const transcript = await exchange(
      caseOf(0, 'creation', {
        method: 'PUT',
        path: '/company/integration/contributions/create',
        query: [],
        version: 'HTTP/1.1',
        headers: [
          ['Host', 'service.example'],
          ...headers,
          ['API-Key', apiKey],
          ['API-Secret', apiSecret],
          ['Content-Type', 'application/json'],
        ],
        body: {
          media: 'json',
          members: [
            ['"project_id"', String(projectId)],
            ['"amount"', '"25.00"'],
            ['"user_hash"', `"user-${projectId}"`],
          ],
        },
        framing: 'length',
      }),
    );
    const [response] = readResponses(transcript.bytes, () => false).responses;
    if (response?.status !== 201)
      throw new Error(`unexpected response to a create: ${transcript.bytes.toString()}`);
    return (JSON.parse(response.body.toString()) as { transaction_id: string }).transaction_id;
  };
}
