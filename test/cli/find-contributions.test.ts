import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { addProject } from '../support/catalogue';
import { operatorSettings, runOps } from '../support/operator-commands';
import { temporaryFolder } from '../support/program';
import { startService, type TestCompany, type TestService } from '../support/service';

/** A partner says "my contribution is missing": an operator finds it by what the partner knows. */
let service: TestService;
let acme: TestCompany;
let bank: TestCompany;
let projectId: number;
let first: string;
let second: string;
const folder = temporaryFolder();
const contributions = '/company/integration/contributions';

async function create(company: TestCompany, userHash: string, amount: string, key: string): Promise<string> {
  const { body } = await company.test
    .put(`${contributions}/create`, { project_id: projectId, amount, user_hash: userHash })
    .set('Idempotency-Key', key)
    .expect(201);
  return (body as { transaction_id: string }).transaction_id;
}

beforeAll(async () => {
  service = await startService();
  [acme, bank] = [await service.addCompany('Acme'), await service.addCompany('Bank')];
  projectId = await addProject(service.database.admin);
  await service.companies.linkBank('test', 'Acme', 'Bank');
  first = await create(acme, 'secret-hash', '25.00', 'ORDER-1');
  second = await create(acme, 'other-hash', '30.00', 'ORDER-2');
  await create(await service.addCompany('Other'), 'secret-hash', '25.00', 'ORDER-1');
  await bank.test
    .put(`${contributions}/${second}`, { status: 'completed', bank_reference: 'FT-77' })
    .expect(200);
});
afterAll(async () => {
  folder.remove();
  await service.stop();
});

const find = (...words: string[]) =>
  runOps(['contributions', 'find', ...words], operatorSettings(service.database));

/** What was found, and how. */
async function found(...words: string[]): Promise<{ by: string | null; ids: string[] }> {
  const { exitCode, output } = await find(...words, '--json');
  expect({ output, exitCode }).toMatchObject({ exitCode: 0 });
  const body = JSON.parse(output) as { found_by: string | null; contributions: { transaction_id: string }[] };
  return { by: body.found_by, ids: body.contributions.map((one) => one.transaction_id) };
}

test('by a transaction_id as people type it, and with one mistake', async () => {
  const typed = `${first.slice(0, 4)}-${first.slice(4)}`.toLowerCase();
  expect(await found(typed)).toEqual({ by: 'transaction_id', ids: [first] });
  const swapped = first.slice(0, 11) + first.charAt(12) + first.charAt(11) + first.slice(13);
  const wrong = swapped === first ? `${first.slice(0, 11)}${first.slice(12)}` : swapped;
  expect(await found(wrong)).toEqual({ by: 'similar_transaction_id', ids: [first] });
});

test('by an idempotency key and a bank_reference', async () => {
  expect((await found('ORDER-1')).ids).toHaveLength(2);
  expect(await found('ORDER-1', '--company', 'Acme')).toEqual({ by: 'idempotency_key', ids: [first] });
  expect(await found(' FT-77 ')).toEqual({ by: 'bank_reference', ids: [second] });
});

test('by a user hash in a file, which is never printed', async () => {
  const file = path.join(folder.path, 'hash.txt');
  writeFileSync(file, 'secret-hash\n');
  const words = ['--company', 'Acme', '--user-hash-file', file];
  expect(await found(...words)).toEqual({ by: null, ids: [first] });
  expect((await find(...words)).output).not.toContain('secret-hash');
});

test('by the day, the amount and the project within a company', async () => {
  const today = new Date().toISOString().slice(0, 10);
  const words = ['--company', 'Acme', '--day', today];
  expect((await found(...words)).ids).toEqual([second, first]);
  expect((await found(...words, '--amount', '25')).ids).toEqual([first]);
  expect((await found(...words, '--project', String(projectId), '--amount', '30.00')).ids).toEqual([second]);
  expect(await find('--company', 'Acme', '--day', '2026-01-31')).toMatchObject({ exitCode: 1 });
});

test('by the key pair that created or completed it', async () => {
  expect((await found('--api-key', acme.test.apiKey!)).ids).toEqual([second, first]);
  expect((await found('--api-key', bank.test.apiKey!)).ids).toEqual([second]);
});

test('nothing found says where to search for a request id', async () => {
  const id = '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b';
  const { exitCode, output } = await find(id);
  expect(exitCode).toBe(1);
  expect(output).toContain(`grep -F '"request_id":"${id}"'`);
});

test.each([
  ['no criterion', [], 'Enter a text or an option'],
  ['a day without a company', ['--day', '2026-01-31'], 'Specify the company'],
  ['an unknown company', ['x', '--company', 'Nobody'], 'no company'],
])('%s is refused', async (_what, words, message) => {
  const { exitCode, output } = await find(...words);
  expect(exitCode).toBeGreaterThan(0);
  expect(output.toLowerCase()).toContain(message.toLowerCase());
});
