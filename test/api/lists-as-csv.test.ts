import { parse } from 'csv-parse/sync';
import type { Response } from 'supertest';

import { listContracts } from '../../src/contracts';
import type { EndpointContract } from '../../src/http/contract';
import { csvFormOf } from '../../src/http/response/csv';
import { addProject } from '../support/catalogue';
import type { Client } from '../support/client';
import { startService, type TestCompany, type TestService } from '../support/service';
import { createWorld, type World } from '../support/tenancy/worlds';
import { recentDays } from '../support/totals';

/** Every list as CSV (`Accept: text/csv`). */
const contracts = listContracts({ minimumCents: 1n, maximumCents: 100_000_000n });
const formOf = ({ responses: { 200: response } }: EndpointContract) =>
  csvFormOf(response?.body, response?.csv);
const lists = contracts.filter((contract) => contract.method === 'get' && formOf(contract) !== undefined);

let service: TestService;
let world: World;
let company: TestCompany;

beforeAll(async () => {
  service = await startService();
  const none = (): Promise<undefined> => Promise.resolve(undefined);
  world = await createWorld(service, 'lists', none);
  company = await service.addCompany();
});
afterAll(() => service.stop());

const contributions = '/company/integration/contributions';
const csv = (client: Client, path: string, accept = 'text/csv') =>
  client.raw('get', path).set('Accept', accept);
const rowsOf = ({ text }: Response): Record<string, string>[] => parse(text, { columns: true });

function addressOf(path: string): string {
  const address = path
    .replace('{transaction_id}', world.transactionIds[0] ?? '')
    .replace('{project_id}', String(world.projectId))
    .replace('{event_id}', world.eventId)
    .replace('{endpoint_id}', world.endpointIds[0] ?? '')
    .replace('{account_id}', world.accountId)
    .replace('{file_id}', world.fileId)
    .replace('{entry_id}', world.entryId)
    .replace('{day}', '2026-11-20');
  if (path.endsWith('/can-close')) return `${address}?month=2026-11`;
  if (path.endsWith('{account_id}/entries')) return `${address}?${recentDays()}&term=matched`;
  if (/\{account_id\}\/(days|reconciliation)$/.test(path)) return `${address}?${recentDays()}`;
  if (path.endsWith('/reconciliation/summary')) return address;
  return path.endsWith('/summary') ? `${address}?${recentDays()}&by=day` : address;
}

test('all lists have CSV, and nothing else', () => {
  expect(lists.map(({ operationId }) => operationId).sort()).toEqual([
    'canCloseMonth',
    'getProjectsAndStories',
    'getReconciliationStatement',
    'listAccountRules',
    'listContributions',
    'listDayAnswers',
    'listDecisions',
    'listEntriesOfTerm',
    'listEntriesToExplain',
    'listEventAttempts',
    'listEvents',
    'listLinks',
    'listProjects',
    'listReconciliation',
    'listSandboxFaults',
    'listSandboxRequests',
    'listStatementAccountDays',
    'listStatementAccounts',
    'listStatementEntries',
    'listStatementQuestions',
    'listStatements',
    'listStories',
    'listWebhookAttempts',
    'listWebhookEndpoints',
    'listWebhookReplays',
    'summarizeContributions',
  ]);
});

const cellOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value);

/** A list for accountants has columns of its own, and no JSON. */
function expectOwnColumns(
  columns: readonly string[],
  rows: readonly string[][],
  data: readonly Record<string, unknown>[],
): void {
  expect(rows.flat().filter((cell) => /^[[{]/.test(cell))).toEqual([]);
  for (const [at, item] of data.entries()) {
    const same = columns.filter((column) => column in item && typeof item[column] !== 'object');
    expect(same.map((column) => rows[at]?.[columns.indexOf(column)])).toEqual(
      same.map((column) => cellOf(item[column])),
    );
  }
}

test.each(lists.map((contract) => [contract.operationId, contract] as const))(
  '%s has the same items as CSV and as JSON',
  async (operationId, contract) => {
    const { path, responses } = contract;
    const { test: client } = world.company;
    const json: Response = await client.get(addressOf(path)).expect(200);
    const response = await csv(client, addressOf(path)).expect(200);
    expect(response.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'cache-control': 'no-store',
      vary: 'Accept, Accept-Encoding',
    });
    const { data = [] } = json.body as { data?: Record<string, unknown>[] };
    const { columns = [] } = formOf(contract) ?? {};
    const [header, ...rows]: string[][] = parse(response.text);
    expect(header).toEqual(columns);
    // The request log has the request before as well.
    if (operationId === 'listSandboxRequests') expect(rows.length).toBeGreaterThan(data.length - 1);
    else if (responses[200]?.csv) expectOwnColumns(columns, rows, data);
    else expect(rows).toEqual(data.map((item) => columns.map((column) => cellOf(item[column]))));
  },
);

test.each([
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  ['application/json, text/csv', 'application/json'],
  ['text/csv;q=0.5, application/json', 'application/json'],
  ['text/csv;q=0, */*', 'application/json'],
  ['text/html, image/png', 'application/json'],
  ['text/*', 'application/json'],
  ['nonsense;;;text/csv/', 'application/json'],
  ['text/csv', 'text/csv'],
  ['TEXT/CSV', 'text/csv'],
  ['text/csv, application/json;q=0.9', 'text/csv'],
  ['text/csv, */*;q=0.1', 'text/csv'],
  ['text/csv; charset=utf-8', 'text/csv'],
  ['text/csv;header=present; charset="UTF-8";q=0.9, application/json;q=0.8', 'text/csv'],
  ['text/csv; charset=utf-8;q=0.5, application/json', 'application/json'],
  ['text/csv; charset=utf-16', 'application/json'],
])('Accept: %s gets %s', async (accept, type) => {
  const request = company.test.raw('get', contributions);
  const response = await (accept === undefined ? request : request.set('Accept', accept)).expect(200);
  expect(response.headers['content-type']).toBe(`${type}; charset=utf-8`);
});

test('an operation that is not a list, and an error, stay JSON', async () => {
  const one = await csv(world.company.test, `${contributions}/${world.transactionIds[0]}`).expect(200);
  expect(one.headers['content-type']).toBe('application/json; charset=utf-8');
  const error = await csv(company.test, `${contributions}?limit=0`).expect(400);
  expect(error.headers['content-type']).toBe('application/problem+json');
});

test('Next-Cursor leads through all pages, and Complete-Until stays the same', async () => {
  const projectId = await addProject(service.database.admin);
  const ids: string[] = [];
  for (let place = 0; place < 5; place += 1) {
    const body = { project_id: projectId, amount: '1.00', user_hash: `user-${place}` };
    const { body: created } = await company.test.put(`${contributions}/create`, body).expect(201);
    ids.push((created as { transaction_id: string }).transaction_id);
  }
  const read: string[] = [];
  const times = new Set<string | undefined>();
  let query = '?limit=2';
  for (let pages = 0; pages < 3; pages += 1) {
    const response = await csv(company.test, `${contributions}${query}`).expect(200);
    read.push(...rowsOf(response).map((row) => row['transaction_id'] ?? ''));
    times.add(response.headers['complete-until']);
    query = `?limit=2&cursor=${response.headers['next-cursor']}`;
  }
  expect(query).toContain('cursor=undefined');
  expect(read).toEqual(ids);
  expect([...times]).toEqual([expect.stringMatching(/^\d{4}-.*Z$/)]);
});

test.each(['=1+1', '+1', '-1+1', '@SUM(A1)', '"quoted", with comma', "'apostrophe"])(
  'the bank_reference %j arrives as a text, not as a formula',
  async (reference) => {
    const projectId = await addProject(service.database.admin);
    const body = { project_id: projectId, amount: '1.00', user_hash: 'user' };
    const { body: created } = await company.test.put(`${contributions}/create`, body).expect(201);
    const id = (created as { transaction_id: string }).transaction_id;
    const evidence = { status: 'completed', bank_reference: reference };
    await company.test.put(`${contributions}/${id}`, evidence).expect(200);
    const query = `?bank_reference=${encodeURIComponent(reference)}`;
    const [row] = rowsOf(await csv(company.test, `${contributions}${query}`).expect(200));
    expect(row?.['bank_reference']).toBe(/^[=+\-@]/.test(reference) ? `'${reference}` : reference);
  },
);

test('HEAD has the headers of CSV, and a large page is compressed', async () => {
  const head = await company.test.raw('head', contributions).set('Accept', 'text/csv').expect(200);
  expect(head.headers['content-type']).toBe('text/csv; charset=utf-8');
  const path = '/company/integration/get/projects';
  for (let count = 0; count < 20; count += 1) await addProject(service.database.admin);
  const packed = await csv(company.test, path).set('Accept-Encoding', 'gzip').expect(200);
  expect(packed.headers['content-encoding']).toBe('gzip');
  const plain = await csv(company.test, path).set('Accept-Encoding', 'identity').expect(200);
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(packed.text).toBe(plain.text);
});
