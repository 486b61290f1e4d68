import { createOperatorDatabase } from '../../../src/db/operator-database';
import { createOperations } from '../../../src/operator/commands/operations';
import { drawKeyPair, type KeyPair, type Peppers } from '../../../src/core/key-pairs/credentials';
import type { EnvironmentKind, Scope } from '../../../src/shared/scopes';
import { addProject, addStory, archiveProject, archiveStory } from '../../support/catalogue';
import type { TestDatabase } from '../../support/database';
import { endArmedFaults } from '../../support/sandbox-faults';
import { statementFile, type UploadedFile } from '../../support/statement-files';
import { until } from '../../support/until';
import type { Exchange } from './cases/case';
import { caseOf } from './cases/request-parts';
import type { FuzzEnvironment, FuzzWorld } from './cases/valid-request';
import { readResponses } from './oracle/responses';
import { scopesOfKind } from '../../support/scopes';

const activeProjects = 8;
const transactionsOfEach = 60;

/** Prepares data with a key pair. */
export interface Prepare {
  /** Creates a contribution. */
  create: (pair: KeyPair, projectId: number) => Promise<string>;
  /** Uploads a statement that pays these contributions. */
  upload: (pair: KeyPair, transactionIds: readonly string[]) => Promise<FuzzEnvironment['statements']>;
}

/**
 * Companies of every kind that credentials can belong to, a catalogue, and contributions.
 *
 * @param prepare goes through the service
 * @param headers added by a proxy to each request
 */
export async function createWorld(
  database: TestDatabase,
  peppers: Peppers,
  prepare: Prepare,
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
          made.push(await prepare.create(pair, projectIds[number % projectIds.length]!));
        }
        return made;
      }),
    );
    // The bank completes contributions of its company.
    own.push(await issue('Bank', 'production'));
    ids.push(ids[2]!);
    const environments: FuzzEnvironment[] = [];
    for (const [number, pair] of own.entries()) {
      const transactionIds = ids[number]!;
      environments.push({ pair, transactionIds, statements: await prepare.upload(pair, transactionIds) });
    }

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

/**
 * Prepares over the same transport as the cases. The first response other than a success ends the
 * run.
 */
export function prepareOver(exchange: Exchange, headers: FuzzWorld['headers']): Prepare {
  async function send<T>(
    { apiKey, apiSecret }: KeyPair,
    [method, path]: [method: string, path: string],
    [mediaType, content]: [mediaType: string, content: string] = ['application/json', ''],
  ): Promise<T> {
    const transcript = await exchange(
      caseOf(0, 'preparation', {
        method,
        path: `/company/integration${path}`,
        query: [],
        version: 'HTTP/1.1',
        headers: [
          ['Host', 'service.example'],
          ...headers,
          ['API-Key', apiKey],
          ['API-Secret', apiSecret],
          ...(content === '' ? [] : ([['Content-Type', mediaType]] as [string, string][])),
        ],
        body: content === '' ? { media: 'none' } : { media: 'bytes', bytes: Buffer.from(content) },
        framing: 'length',
      }),
    );
    const [response] = readResponses(transcript.bytes, () => false).responses;
    if (response === undefined || response.status >= 300)
      throw new Error(`unexpected response to ${method} ${path}: ${transcript.bytes.toString()}`);
    return JSON.parse(response.body.toString()) as T;
  }

  return {
    async create(pair, projectId) {
      const order = { project_id: projectId, amount: '25.00', user_hash: `user-${projectId}` };
      const content = JSON.stringify(order);
      const path: [string, string] = ['PUT', '/contributions/create'];
      return (await send<{ transaction_id: string }>(pair, path, ['application/json', content]))
        .transaction_id;
    },
    async upload(pair, ids) {
      const content = statementFile(ids.slice(0, 20).map((id) => ({ cents: 25_00n, id, reference: id })));
      const file = await send<UploadedFile>(pair, ['POST', '/statements'], ['application/xml', content]);
      const entries = async (): Promise<{ entry_id: string }[]> => {
        const target = `/statements/${file.file_id}/entries`;
        return (await send<{ data: { entry_id: string }[] }>(pair, ['GET', target])).data;
      };
      // Entries are listed only after they are compared with the contributions.
      await until('the entries are listed', async () => (await entries()).length > 0);
      const data = await entries();
      const { accounts } = await send<UploadedFile>(pair, ['GET', `/statements/${file.file_id}`]);
      return {
        files: [file.file_id],
        entries: data.map(({ entry_id: id }) => id),
        accounts: accounts.map(({ account_id: id }) => id),
      };
    },
  };
}
