import { hostname, userInfo } from 'node:os';

import { Client } from 'pg';

import { operatorName } from '../../src/cli/operator-name';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { operate } from '../support/operations';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const action = (command: string) => ({
  operator: 'anna',
  command,
  target: null,
  arguments: {},
  result: {},
});
const commands = async (command?: string) =>
  (await operate(database, ({ actions }) => actions.list({ command, limit: 10 }), 'read')).map(
    (listed) => listed.command,
  );

test('an act that fails leaves neither its change nor its record', async () => {
  await expect(
    operate(database, async ({ actions, companies }) => {
      await companies.create('Half Done');
      await actions.record(action('companies create'));
      throw new Error('the last step failed');
    }),
  ).rejects.toThrow('the last step failed');
  expect(await commands()).toEqual([]);
  const { rows } = await database.admin.query(`SELECT FROM companies WHERE name = 'Half Done'`);
  expect(rows).toEqual([]);
});

test('records are listed the latest first, and by the first words of the command', async () => {
  for (const command of ['keys issue', 'keys revoke', 'keysmith call']) {
    await operate(database, ({ actions }) => actions.record(action(command)));
  }
  expect(await commands()).toEqual(['keysmith call', 'keys revoke', 'keys issue']);
  expect(await commands('keys')).toEqual(['keys revoke', 'keys issue']);
  expect(await commands('keys issue')).toEqual(['keys issue']);
});

test.each([
  ['changed', `UPDATE operator_actions SET operator = 'nobody'`],
  ['removed', 'DELETE FROM operator_actions'],
  ['emptied', 'TRUNCATE operator_actions'],
])('a record is never %s, by the owner neither', async (_what, sql) => {
  const owner = new Client({ connectionString: database.ownerUrl });
  await owner.connect();
  try {
    await expect(owner.query(sql)).rejects.toMatchObject({ constraint: 'operator_actions_append_only' });
  } finally {
    await owner.end();
  }
});

test('a command is recorded as of the setting, or of the account and the machine, behind sudo with who is behind it', () => {
  expect(operatorName('anna', { SUDO_USER: 'berta' })).toBe('anna');
  expect(operatorName(undefined, {})).toBe(`${userInfo().username}@${hostname()}`);
  expect(operatorName(undefined, { SUDO_USER: 'berta' })).toBe(
    `berta as ${userInfo().username}@${hostname()}`,
  );
});

test('what only looks cannot write', async () => {
  await expect(operate(database, ({ companies }) => companies.create('Never'), 'read')).rejects.toMatchObject(
    {
      cause: { code: '25006' },
    },
  );
});
