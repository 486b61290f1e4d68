import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { postmanPaths } from '../../../src/features/documentation/links';
import { addProject } from '../../support/catalogue';
import { temporaryFolder } from '../../support/program';
import { startService, type TestCompany, type TestService } from '../../support/service';
import { succeed, tools } from './tools';

/** Sends every request of the collection with Postman's own runner, as a new partner would. */
jest.setTimeout(300_000);

interface Run {
  executions: { item: { name: string }; response?: { code: number; stream: { data: number[] } } }[];
  failures: { source?: { name: string }; error: { message: string } }[];
}

let service: TestService;
let company: TestCompany;
let folder: ReturnType<typeof temporaryFolder>;

beforeAll(async () => {
  folder = temporaryFolder();
  service = await startService();
  company = await service.addCompany();
  await addProject(service.database.admin, { name: 'Water' });
});
afterAll(async () => {
  await service.stop();
  folder.remove();
});

async function runCollection(): Promise<Run> {
  for (const [name, address] of Object.entries(postmanPaths))
    writeFileSync(path.join(folder.path, `${name}.json`), (await service.anonymous.raw('get', address)).text);
  const values = {
    CONTRIBUTION_API_URL: `http://localhost:${service.port}/company/integration`,
    CONTRIBUTION_API_KEY: company.test.apiKey ?? '',
    CONTRIBUTION_API_SECRET: company.test.apiSecret ?? '',
  };
  const given = Object.entries(values).flatMap(([name, value]) => ['--env-var', `${name}=${value}`]);
  const report = ['--reporters', 'json', '--reporter-json-export', 'report.json'];
  await succeed(
    'npx',
    ['--yes', tools.newman, 'run', 'collection.json', '-e', 'environment.json', ...given, ...report],
    folder.path,
  );
  return (JSON.parse(readFileSync(path.join(folder.path, 'report.json'), 'utf8')) as { run: Run }).run;
}

test('the service understands every request, and ids of responses reach later requests', async () => {
  const { executions, failures } = await runCollection();
  expect(failures.map(({ source, error }) => `${source?.name ?? ''}: ${error.message}`)).toEqual([]);
  const sent = executions.filter(({ response }) => response !== undefined);
  // Requests that change or remove what a partner has wait for a variable.
  const { item: folders } = JSON.parse(readFileSync(path.join(folder.path, 'collection.json'), 'utf8')) as {
    item: { item: { name: string }[] }[];
  };
  const names = folders.flatMap(({ item }) => item.map(({ name }) => name));
  const unguarded = names.filter((name) => !name.includes('(needs allow_changes)'));
  expect(sent.map(({ item: { name } }) => name)).toEqual(unguarded);
  expect(names.length).toBeGreaterThan(50);
  const results = sent.map(({ item: { name }, response }) => ({
    name,
    code: response?.code ?? 0,
    text: Buffer.from(response?.stream.data ?? []).toString(),
  }));
  // The examples' endpoint, entries and accounts do not exist in this environment.
  const isUnderstood = ({ code }: { code: number }) => code < 300 || [403, 404, 409, 422].includes(code);
  expect(results.filter((result) => !isUnderstood(result))).toEqual([]);
  expect(results.filter(({ text }) => /path_not_found|credentials_|scope_missing/.test(text))).toEqual(
    results.filter(({ code, text }) => code >= 400 && text.includes('webhooks:manage')),
  );
  const codes = Object.fromEntries(results.map(({ name, code }) => [name, code]));
  expect(codes).toMatchObject({
    'List projects': 200,
    'Create a contribution': 201,
    'Get a contribution': 200,
    'Complete a contribution': 200,
    'Record a return': 201,
    'Undo a return': 201,
    'Upload a bank statement': 202,
    'Read an uploaded statement': 200,
  });
});
