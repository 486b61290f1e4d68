import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { parse } from 'csv-parse/sync';

import { addProject } from '../support/catalogue';
import { type Completions, createCompletions } from '../support/completions';
import { operate } from '../support/operations';
import { operatorSettings, runOps } from '../support/operator-commands';
import { temporaryFolder } from '../support/program';
import { startService, type TestCompany, type TestService } from '../support/service';

let service: TestService;
let company: TestCompany;
let contributions: Completions;
let folder: ReturnType<typeof temporaryFolder>;
let pendingId: string;
let completedId: string;
const reference = '=HYPERLINK("https://evil.test")';

beforeAll(async () => {
  folder = temporaryFolder();
  service = await startService();
  company = await service.addCompany('Acme, "Inc"');
  contributions = await createCompletions(service, company);
  pendingId = await contributions.create();
  completedId = await contributions.create('7.00');
  const evidence = { bank_reference: reference, value_date: '2026-11-20' };
  await contributions.complete(company.test, completedId, evidence).expect(200);
  await createCompletions(service, await service.addCompany('Other')).then((other) => other.create());
});
afterAll(async () => {
  folder.remove();
  await service.stop();
});

const exported = (...words: string[]) =>
  runOps(['contributions', 'export', ...words], operatorSettings(service.database));

test('a file has all contributions of a company as CSV, and formulas are escaped', async () => {
  const file = path.join(folder.path, 'all.csv');
  const { output, exitCode } = await exported(company.name, '--file', file);
  expect(output).toBe('Exported 2 contributions.\n');
  expect(exitCode).toBe(0);
  const rows = parse<Record<string, string>>(readFileSync(file), { columns: true });
  expect(rows).toMatchObject([
    { transaction_id: pendingId, status: 'pending', amount: '25.50', bank_reference: '', completed_at: '' },
    {
      transaction_id: completedId,
      company: company.name,
      environment: 'test',
      status: 'completed',
      amount: '7.00',
      bank_reference: `'${reference}`,
      value_date: '2026-11-20',
    },
  ]);
  expect(rows[0]?.['created_at']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(existsSync(`${file}.partial`)).toBe(false);
});

test('standard output gets NDJSON, and filters apply', async () => {
  const { output } = await exported('--json', '--value-date', '2026-11-20', '--bank-reference', reference);
  const [line = '', note] = output.split('\n');
  expect(JSON.parse(line)).toMatchObject({ transaction_id: completedId, bank_reference: reference });
  expect(note).toBe('Exported 1 contribution.');
  const none = await exported('--format', 'ndjson', '--value-date', '2026-11-21');
  expect(none.output).toBe('Exported 0 contributions.\n');
});

test('a failed export leaves no file', async () => {
  const file = path.join(folder.path, 'none', 'all.csv');
  const missing = await exported('--file', file);
  expect(missing.output).toContain('The file cannot be written');
  expect(missing.exitCode).toBe(1);
  const unknown = await exported('Nobody', '--file', path.join(folder.path, 'nobody.csv'));
  expect(unknown.exitCode).toBe(1);
  expect(existsSync(path.join(folder.path, 'nobody.csv'))).toBe(false);
});

test('pages of contributions with equal times lose and repeat none', async () => {
  const many = await service.addCompany('Many');
  const projectId = await addProject(service.database.admin);
  const body = { project_id: projectId, amount: '1.00', user_hash: 'user' };
  await many.test.put('/company/integration/contributions/create', body).expect(201);
  // All at one time, more than a page.
  await service.database.admin.query(`
    INSERT INTO transactions (environment_id, transaction_id, user_id, project_id, amount_cents, currency, status, created_at, created_by_api_key)
    SELECT t.environment_id, left(t.transaction_id, 4) || lpad(n::text, 11, '0'), t.user_id, t.project_id, n, 'USD', 'pending', t.created_at, t.created_by_api_key
      FROM transactions t JOIN environments e USING (environment_id) JOIN companies c USING (company_id),
           generate_series(1, 2500) AS n
     WHERE c.name = 'Many'`);
  const shares: number[] = [];
  const ids = await operate(
    service.database,
    async ({ transactionExport }) => {
      const found: string[] = [];
      for await (const page of transactionExport.pages({ company: 'Many' })) {
        expect(page.transactions.length).toBeLessThanOrEqual(1_000);
        found.push(...page.transactions.map(({ transactionId }) => transactionId));
        shares.push(page.done);
      }
      return found;
    },
    'read',
  );
  expect(ids).toHaveLength(2_501);
  expect(new Set(ids).size).toBe(2_501);
  expect(shares).toEqual([...shares].sort((one, other) => one - other));
  expect(shares.at(-1)).toBe(1);
});
