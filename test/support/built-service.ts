import { createOperatorDatabase } from '../../src/db/operator-database';
import { createOperations } from '../../src/operator/commands/operations';
import type { Scope } from '../../src/shared/scopes';
import { addProject } from './catalogue';
import type { Credentials } from './client';
import { addCopies } from './completion-files';
import { createTestDatabase, type TestDatabase } from './database';
import { randomPepper as pepper } from './pepper';
import { build, killLeftoverProcesses, type RunningService, temporaryFolder } from './program';

/** What the built program needs. `RunningService.start(settings)` starts it. */
export interface BuiltService<Company extends string> {
  readonly database: TestDatabase;
  readonly settings: Record<string, string>;
  readonly projectId: number;
  readonly pairs: Record<Company, Credentials>;
  /** Kills the processes that still run, and removes the database and the data folder. */
  remove(): Promise<void>;
}

/**
 * Builds the program, and creates a database with a project and these companies. Each company has
 * one test key pair with the given scopes.
 */
export async function prepareBuiltService<Company extends string>(
  scopes: Record<Company, Scope[]>,
  {
    settings = {},
    link,
  }: { settings?: Record<string, string>; link?: [company: Company, bank: Company] } = {},
): Promise<BuiltService<Company>> {
  await build();
  const database = await createTestDatabase();
  const folder = temporaryFolder();
  const operator = createOperatorDatabase(database.ownerUrl);
  const { companies, keyPairs } = createOperations(operator, new Map([[1, Buffer.from(pepper, 'utf8')]]));
  const pairs = {} as Record<Company, Credentials>;
  for (const company of Object.keys(scopes) as Company[]) {
    await companies.create(company);
    pairs[company] = await keyPairs.issue({
      company,
      kind: 'test',
      scopes: scopes[company],
      expiresAt: undefined,
    });
  }
  if (link) await companies.linkBank('test', ...link);
  await operator.close();
  return {
    database,
    settings: {
      DATABASE_URL: database.url,
      ALLOW_PLAIN_HTTP: 'on',
      DATA_DIRECTORY: folder.path,
      CREDENTIAL_PEPPERS: `1:${pepper}`,
      ...settings,
    },
    projectId: await addProject(database.admin),
    pairs,
    async remove() {
      await killLeftoverProcesses();
      await database.drop();
      folder.remove();
    },
  };
}

export const credentialHeaders = ({ apiKey, apiSecret }: Credentials): Record<string, string> => ({
  'API-Key': apiKey ?? '',
  'API-Secret': apiSecret ?? '',
});

/** Creates pending contributions of 25.50 over HTTP and by copying rows, and returns their ids. */
export async function createMany(
  { database, projectId }: Pick<BuiltService<string>, 'database' | 'projectId'>,
  { baseUrl }: RunningService,
  pair: Credentials,
  user: string,
  count: number,
): Promise<string[]> {
  const response = await fetch(`${baseUrl}/company/integration/contributions/create`, {
    method: 'PUT',
    headers: { ...credentialHeaders(pair), 'Content-Type': 'application/json' },
    body: JSON.stringify({ project_id: projectId, amount: '25.50', user_hash: user }),
  });
  const { transaction_id: id } = (await response.json()) as { transaction_id: string };
  return addCopies(database.admin, id, count);
}
