import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { csvMapping } from '../../packages/sdk/src/command/statement-formats/csv.js';
import { run } from '../../packages/sdk/src/command/run.js';
import { ContributionService, type UploadStatementParams } from '../../packages/sdk/src/index.js';
import { addProject } from '../support/catalogue';
import { startService, type TestService } from '../support/service';
import { user } from './fake-service';

/** The statements of the simulated bank, read by the real service. */
let service: TestService;
let client: ContributionService;
let projectId: number;
let folder: string;
let variables: Record<string, string>;
let number = 0;

beforeAll(async () => {
  service = await startService();
  projectId = await addProject(service.database.admin);
});
beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'bank-statements-'));
  const { apiKey = '', apiSecret = '' } = (await service.addCompany()).test;
  const apiUrl = `http://127.0.0.1:${service.port}/company/integration`;
  client = new ContributionService({ apiKey, apiSecret, apiUrl, expectEnvironment: 'test' });
  variables = {
    CONTRIBUTION_API_URL: apiUrl,
    CONTRIBUTION_API_KEY: apiKey,
    CONTRIBUTION_API_SECRET: apiSecret,
  };
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});
afterAll(() => service.stop());

async function create(amount: string): Promise<string> {
  number += 1;
  const order = { project_id: projectId, amount, user_hash: user };
  const { transaction_id: id } = await client.contributions.create(order, {
    idempotencyKey: `order-${number}`,
  });
  return id;
}

const rules = [
  { amount_ends_in: '.42', do: 'complete_twice' },
  { amount_ends_in: '.43', do: 'nothing' },
  { amount_ends_in: '.44', do: 'complete_together' },
  { amount_ends_in: '.45', do: 'complete_and_return' },
];
/** With the position that each must have. */
const planned: readonly [amount: string, position: string][] = [
  ['9.00', 'matched'],
  ['9.42', 'duplicate'],
  ['9.43', 'waiting'],
  ['1.44', 'matched'],
  ['2.44', 'matched'],
  ['1000000.00', 'matched'],
  ['9.45', 'returned'],
];
const inEveryFormat = [
  'bai2.txt',
  'camt.052.xml',
  'camt.053.xml',
  'camt.054.xml',
  'nacha-returns.txt',
  'statement.csv',
];

async function runBank(place: object = { statements: path.join(folder, 'statements') }): Promise<string[]> {
  const config = path.join(folder, 'bank.json');
  writeFileSync(config, JSON.stringify({ store: path.join(folder, 'intents'), rules, ...place }));
  const lines: string[] = [];
  const print = (line: string): number => lines.push(line);
  expect(await run(['bank', '--once', '--config', config], variables, { out: print, error: print })).toBe(0);
  return lines;
}

const statement = (name: string): Buffer => readFileSync(path.join(folder, 'statements', name));

const options: Readonly<Record<string, Omit<UploadStatementParams, 'file'>>> = {
  'statement.csv': { account: 'simulated-csv', mapping: csvMapping },
  'nacha-returns.txt': { account: 'simulated-nacha' },
};

/** Uploads a statement of the bank, and waits until its days are compared. */
async function upload(name: string) {
  const { file_id: fileId } = await client.statements.upload({ file: statement(name), ...options[name] });
  return client.statements.waitUntilRead(fileId);
}

async function entriesOf(fileId: string) {
  const entries = [];
  for await (const entry of client.statements.listEntries(fileId)) entries.push(entry);
  return entries;
}

async function stateOfToday(accountId: string): Promise<string | undefined> {
  const now = Date.now();
  const [from = '', to = ''] = [now, now + 86_400_000].map((at) => new Date(at).toISOString().slice(0, 10));
  return (await client.statements.accounts.listDays(accountId, { from, to })).data[0]?.state;
}

/** The position of each contribution according to the service. */
async function positions(): Promise<unknown[]> {
  const rows = [];
  for await (const row of client.reconciliation.list()) rows.push(row);
  return rows;
}

const positionNames = async (): Promise<unknown[]> =>
  (await positions()).map((row) => (row as { position: string }).position);

test('each format is read completely, and leads to the same positions', async () => {
  for (const [amount] of planned) await create(amount);
  await runBank();
  expect(readdirSync(path.join(folder, 'statements')).sort()).toEqual(
    ['entries', 'settlements.csv', ...inEveryFormat].sort(),
  );
  const found = new Map<string, unknown[]>();
  for (const name of inEveryFormat.filter((each) => each !== 'nacha-returns.txt')) {
    const file = await upload(name);
    // One contribution is paid twice, one never, two with one transfer, and one is returned.
    expect([name, file.entries, file.problems]).toEqual([name, 7, []]);
    const outcomes = (await entriesOf(file.file_id)).map(({ outcome }) => outcome).sort();
    expect([name, outcomes]).toEqual([name, [...Array.from({ length: 6 }, () => 'matched'), 'returned']]);
    expect([name, await stateOfToday(file.accounts[0]!.account_id)]).toEqual([
      name,
      name === 'camt.053.xml' || name === 'bai2.txt' ? 'covered' : expect.stringMatching(/^(missing|open)$/),
    ]);
    found.set(name, await positions());
    expect([name, await positionNames()]).toEqual([name, planned.map(([, position]) => position)]);
    await client.statements.void(file.file_id, { reason: 'The next format' });
  }
  for (const [name, rows] of found) expect([name, rows]).toEqual([name, found.get('camt.053.xml')]);
});

test('files of several formats with the account change nothing together', async () => {
  for (const [amount] of planned) await create(amount);
  await runBank();
  await upload('camt.053.xml');
  const before = await positions();
  for (const name of ['bai2.txt', 'camt.052.xml', 'camt.054.xml']) await upload(name);
  expect(await positions()).toEqual(before);
});

test('the returns in the NACHA file are proposed, and confirm no position', async () => {
  const id = await create('9.45');
  await create('9.00');
  await runBank();
  const file = await upload('nacha-returns.txt');
  expect([file.format, file.entries, file.problems]).toEqual(['nacha', 1, []]);
  expect(await entriesOf(file.file_id)).toMatchObject([
    {
      amount: '9.45',
      direction: 'debit',
      outcome: 'proposed',
      return_code: 'R01',
      allocations: [{ transaction_id: id }],
    },
  ]);
  // The bank recorded the return with the service too.
  expect(await positionNames()).toEqual(['returned_without_credit', 'unconfirmed']);
  await upload('camt.053.xml');
  expect(await positionNames()).toEqual(['returned', 'matched']);
  const { net_amount: net } = await client.contributions.retrieve(id);
  expect(net).toBe('0.00');
});

test('the settlement list names the contributions of a transfer, and changes no position', async () => {
  const ids = [await create('1.44'), await create('2.44')];
  await create('9.00');
  const lines = await runBank();
  expect(lines).toEqual(
    [...ids, expect.any(String)].map((id) => expect.stringMatching(`^${String(id)}|completed$`) as string),
  );
  const list = statement('settlements.csv').toString().trimEnd().split('\n');
  const [, reference] = /^(BANK-TOGETHER-\d{17}),/.exec(list[1] ?? '') ?? [];
  expect(list).toEqual([
    'reference,transaction_id,amount',
    `${reference},${ids[0]},1.44`,
    `${reference},${ids[1]},2.44`,
  ]);
  const rows = list.slice(1).map((line) => {
    const [of = '', transaction_id = '', amount = ''] = line.split(',');
    return { reference: of, transaction_id, amount };
  });
  expect(await client.statements.importSettlements({ lines: rows })).toMatchObject({
    settlements: [{ reference, contributions: 2, amount: '3.88', outcome: 'stored' }],
  });
  const file = await upload('statement.csv');
  const joint = (await entriesOf(file.file_id)).filter(({ amount }) => amount !== '9.00');
  expect(joint).toMatchObject([
    { bank_reference: reference, amount: '3.88', allocations: [{ confidence: 'settlement' }, {}] },
  ]);
  expect(await positionNames()).toEqual(['matched', 'matched', 'matched']);
});

test('without transfers, each format is a statement without entries', async () => {
  await runBank();
  expect(existsSync(path.join(folder, 'statements', 'settlements.csv'))).toBe(false);
  for (const name of inEveryFormat) {
    const file = await upload(name);
    expect([name, file.entries, file.problems]).toEqual([name, 0, []]);
  }
});

test('a bank that is killed between two requests of an action sends the second one after its restart', async () => {
  for (const [amount] of planned) await create(amount);
  const config = path.join(folder, 'bank.json');
  const place = { statements: path.join(folder, 'statements') };
  writeFileSync(config, JSON.stringify({ store: path.join(folder, 'intents'), rules, ...place }));
  // Stops the bank when it first prints the completion of each contribution.
  const printed = new Set<string>();
  const die = (line: string): void => {
    if (!line.endsWith('completed') || printed.has(line)) return;
    printed.add(line);
    throw new Error('killed');
  };
  const runs: (number | 'killed')[] = [];
  while (runs.at(-1) !== 0 && runs.length < 20) {
    const running = run(['bank', '--once', '--config', config], variables, {
      out: die,
      error: () => undefined,
    });
    runs.push(await running.catch(() => 'killed' as const));
  }
  expect(runs.at(-1)).toBe(0);
  expect(runs.length).toBeGreaterThan(5);
  await upload('camt.053.xml');
  expect(await positionNames()).toEqual(planned.map(([, position]) => position));
});

test('a transfer with an unknown part is not in the statement before its outcome is known', async () => {
  const ids = [await create('1.44'), await create('2.44')];
  const fault = { operation: 'completeContribution', kind: 'answer_lost_after_commit', times: 5 } as const;
  await client.sandbox.faults.arm(fault);
  const config = path.join(folder, 'bank.json');
  const place = { statements: path.join(folder, 'statements') };
  writeFileSync(config, JSON.stringify({ store: path.join(folder, 'intents'), rules, ...place }));
  const print = (): void => undefined;
  expect(await run(['bank', '--once', '--config', config], variables, { out: print, error: print })).toBe(1);
  expect(readdirSync(place.statements)).toEqual([]);
  await runBank(place);
  // The second contribution was not sent before, so it has a separate transfer.
  const transfers = statement('settlements.csv').toString().trimEnd().split('\n').slice(1);
  expect(transfers.map((line) => line.split(',')[1])).toEqual(ids);
  await upload('camt.053.xml');
  expect(await positionNames()).toEqual(['matched', 'matched']);
});
