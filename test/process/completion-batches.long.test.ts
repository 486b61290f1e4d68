import { createOperatorDatabase } from '../../src/db/operator-database';
import { createOperations } from '../../src/operator/cli/operations';
import { addProject } from '../support/catalogue';
import type { Credentials } from '../support/client';
import { addCopies, completionsPath, ndjson, readLines, sendFile } from '../support/completion-files';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { sample } from '../support/full-run';
import { randomPepper as pepper } from '../support/pepper';
import { build, killLeftoverProcesses, RunningService, temporaryFolder } from '../support/program';
import { verificationOf } from '../support/verification';

/** Kills the built program in the middle of a file, and sends the file again. */
const lines = 6_000;
let database: TestDatabase;
let folder: ReturnType<typeof temporaryFolder>;
let settings: Record<string, string>;
let pair: Credentials;
let projectId: number;

beforeAll(async () => {
  await build();
  database = await createTestDatabase();
  folder = temporaryFolder();
  settings = {
    DATABASE_URL: database.url,
    ALLOW_PLAIN_HTTP: 'on',
    DATA_DIRECTORY: folder.path,
    CREDENTIAL_PEPPERS: `1:${pepper}`,
    LOG_LEVEL: 'info',
  };
  const operator = createOperatorDatabase(database.ownerUrl);
  const { companies, keyPairs } = createOperations(operator, new Map([[1, Buffer.from(pepper, 'utf8')]]));
  await companies.create('Acme');
  pair = await keyPairs.issue({
    company: 'Acme',
    kind: 'test',
    scopes: ['contributions:create', 'contributions:complete'],
    expiresAt: undefined,
  });
  await operator.close();
  projectId = await addProject(database.admin);
}, 120_000);
afterAll(async () => {
  await killLeftoverProcesses();
  await database.drop();
  folder.remove();
});

const headers = (): Record<string, string> => ({
  'API-Key': pair.apiKey ?? '',
  'API-Secret': pair.apiSecret ?? '',
});

/** The ids of new pending contributions. */
async function createMany({ baseUrl }: RunningService, user: string): Promise<string[]> {
  const response = await fetch(`${baseUrl}/company/integration/contributions/create`, {
    method: 'PUT',
    headers: { ...headers(), 'Content-Type': 'application/json' },
    body: JSON.stringify({ project_id: projectId, amount: '25.50', user_hash: user }),
  });
  const { transaction_id: id } = (await response.json()) as { transaction_id: string };
  return addCopies(database.admin, id, lines);
}

/** Sends a file, and kills the service after this many outcomes. */
async function killWithin(service: RunningService, file: string, outcomes: number): Promise<number> {
  const response = await fetch(`${service.baseUrl}${completionsPath}`, {
    method: 'POST',
    headers: { ...headers(), 'Content-Type': 'application/x-ndjson' },
    body: file,
  });
  let text = '';
  let isKilled = false;
  const decoder = new TextDecoder();
  try {
    for await (const piece of response.body!) {
      text += decoder.decode(piece, { stream: true });
      if (isKilled || readLines(text).outcomes.length < outcomes) continue;
      isKilled = true;
      void service.signal('SIGKILL');
    }
  } catch {
    // The response was cut off.
  }
  await service.exited;
  const { outcomes: received, summary } = readLines(text);
  expect(summary).toBeUndefined();
  return received.length;
}

test.each(sample([1_500, 1, 4_000], 2))(
  'killed after %d outcomes, a file that is sent again doubles and loses nothing',
  async (outcomes) => {
    const first = await RunningService.start(settings);
    const ids = await createMany(first, `killed-${outcomes}`);
    const file = ndjson(
      ids.map((id) => ({ transaction_id: id, amount: '25.50', bank_reference: `FT-${id}` })),
    );
    const received = await killWithin(first, file, outcomes);
    expect(received).toBeGreaterThanOrEqual(outcomes);
    expect(received).toBeLessThan(lines);

    const second = await RunningService.start(settings);
    const { summary } = await sendFile(second.baseUrl, pair, file);
    expect(summary).toMatchObject({ lines, refused: 0 });
    // What the client knew, and what was committed without its knowledge.
    expect(summary!.replayed).toBeGreaterThanOrEqual(received);
    expect(summary!.completed + summary!.replayed).toBe(lines);
    const { rows } = await database.admin.query<{ completed: string; ids: string }>(
      `SELECT count(*) AS completed, count(DISTINCT transaction_id) AS ids
         FROM events WHERE type = 'contribution.completed' AND transaction_id = ANY ($1)`,
      [ids],
    );
    expect(rows).toEqual([{ completed: String(lines), ids: String(lines) }]);
    expect((await verificationOf(database.ownerUrl)).violationCount).toBe(0);
    await second.signal('SIGTERM');
  },
  120_000,
);
