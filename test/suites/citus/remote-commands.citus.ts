import { randomUUID } from 'node:crypto';

import { Client } from 'pg';

import { sessionConfig } from '../../../src/db/session-settings';
import { composeTransactionId } from '../../../src/shared/transaction-id';
import { addProject } from '../../support/catalogue';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { operate } from '../../support/operations';

/** The commands that the coordinator sends to workers for one create, and for one completion. */
let database: TestDatabase;
let client: Client;
let environment: { environment_id: number; transaction_tag: string };
let projectId: number;
let apiKey: string;

beforeAll(async () => {
  database = await createTestDatabase();
  projectId = await addProject(database.admin);
  await operate(database, ({ companies }) => companies.create('Acme'));
  const pair = { company: 'Acme', kind: 'test', scopes: ['contributions:complete'] } as const;
  const issued = await operate(database, ({ keyPairs }) => keyPairs.issue({ ...pair, expiresAt: undefined }));
  apiKey = issued.apiKey;
  const { rows } = await database.admin.query<typeof environment>(
    `SELECT e.environment_id, e.transaction_tag FROM environments e JOIN companies c USING (company_id)
      WHERE c.name = 'Acme' AND e.kind = 'test'`,
  );
  environment = rows[0]!;
  client = new Client(sessionConfig({ connectionString: database.url }));
  await client.connect();
  await client.query('SET citus.log_remote_commands = on; SET client_min_messages = notice');
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

async function commandsOf(text: string, values: unknown[]): Promise<string[]> {
  const commands: string[] = [];
  const note = ({ message = '' }: { message?: string | undefined }): void => {
    if (message.startsWith('issuing ')) commands.push(message.slice('issuing '.length));
  };
  client.on('notice', note);
  await client.query(text, values);
  client.off('notice', note);
  return commands;
}

let ids = 0;

async function create(): Promise<{ id: string; commands: string[] }> {
  const { environment_id: owner, transaction_tag: tag } = environment;
  let id: string | undefined;
  while (id === undefined) id = composeTransactionId(tag, new Date(0), (ids += 1));
  const values = [owner, id, projectId, 'k', randomUUID()];
  const text = `SELECT * FROM create_contribution($1, $2, $3, 100, 'user', NULL, NULL, $4, $5)`;
  return { id, commands: await commandsOf(text, values) };
}

const isCompleted = async (id: string): Promise<boolean> => {
  const { rows } = await database.admin.query<{ status: string }>(
    'SELECT status FROM transactions WHERE environment_id = $1 AND transaction_id = $2',
    [environment.environment_id, id],
  );
  return rows[0]?.status === 'completed';
};

const complete = `SELECT * FROM complete_contribution($1, $2, $3, $4, NULL, NULL, NULL, $5)`;
const completionOf = (id: string): unknown[] => [
  ...[environment.environment_id, apiKey, environment.transaction_tag, id, randomUUID()],
];

test('a create sends one command', async () => {
  await create();
  const { commands } = await create();
  expect(commands).toEqual([expect.stringContaining('create_contribution')]);
});

test('a completion sends one command, which the worker commits', async () => {
  const { id } = await create();
  const commands = await commandsOf(complete, completionOf(id));
  expect(commands).toEqual([expect.stringContaining('complete_contribution_of')]);
  expect(await isCompleted(id)).toBe(true);
});

test('a completion in a transaction is undone with it', async () => {
  const { id } = await create();
  await client.query('BEGIN');
  await client.query(complete, completionOf(id));
  await client.query('ROLLBACK');
  expect(await isCompleted(id)).toBe(false);
});
