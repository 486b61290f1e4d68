import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { run } from '../../packages/sdk/src/command/run.js';
import { addProject } from '../support/catalogue';
import { startService, type TestCompany, type TestService } from '../support/service';

/** What the command says to a new user who does something wrong. */
const base = '/company/integration';

let service: TestService;
let company: TestCompany;
let projectId: number;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'command-advice-'));
  service = await startService();
  company = await service.addCompany();
  projectId = await addProject(service.database.admin, { name: 'Water' });
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Ran {
  exitCode: number;
  out: string;
  error: string;
}

async function command(args: string[], { test } = company, more: Record<string, string> = {}): Promise<Ran> {
  const lines: string[] = [];
  const errors: string[] = [];
  const variables = {
    API: `http://127.0.0.1:${service.port}`,
    API_KEY: test.apiKey ?? '',
    API_SECRET: test.apiSecret ?? '',
    ...more,
  };
  const exitCode = await run(args, variables, {
    out: (line) => lines.push(line),
    error: (line) => errors.push(line),
  });
  return { exitCode, out: lines.join('\n'), error: errors.join('\n') };
}

async function create({ test }: TestCompany): Promise<string> {
  const body = { project_id: projectId, amount: '25.00', user_hash: 'somebody' };
  const response = await test.put(`${base}/contributions/create`, body).expect(201);
  return (response.body as { transaction_id: string }).transaction_id;
}

describe('bank', () => {
  const configOf = (name: string, content: object | string): string => {
    const file = path.join(folder, `${name}.json`);
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  };

  test('a refused completion exits with 1, and says why and what to do', async () => {
    const simulated = await service.addCompany();
    const settings = { bank: 'simulated', settle_after_seconds: 3_600 };
    await simulated.test.put(`${base}/sandbox/settings`, settings).expect(200);
    const id = await create(simulated);
    const config = configOf('refused', { store: path.join(folder, 'refused') });
    const { exitCode, out } = await command(['bank', '--once', '--config', config], simulated);
    expect([exitCode, out]).toEqual([1, expect.stringContaining(`${id}  completion_reserved_for_bank  `)]);
    expect(out).toContain('settings --bank none');
  });

  test.each<[string, () => string, RegExp]>([
    ['a missing file', () => '/nowhere.json', /cannot be read: it does not exist/],
    ['a folder', () => folder, /is a folder/],
    ['an empty file', () => configOf('empty', ''), /is empty/],
    ['no JSON', () => configOf('text', '{"store": '), /is not JSON: /],
    [
      'statements in a file',
      () => configOf('file', { store: path.join(folder, 'a'), statements: configOf('taken', 'x') }),
      /"statements" needs the folder .*taken\.json is a file/,
    ],
    [
      'a statement that is a folder',
      () => configOf('folder', { store: path.join(folder, 'b'), statement: folder }),
      /"statement" names a folder/,
    ],
  ])('%s as the config exits with 2', async (_what, file, message) => {
    const { exitCode, error } = await command(['bank', '--once', '--config', file()]);
    expect([exitCode, error]).toEqual([2, expect.stringMatching(message)]);
  });
});

describe('conform', () => {
  const conform = (...args: string[]): Promise<Ran> => command(['conform', '--profile', 'host', ...args]);

  test('a report that cannot be written is rejected before the program starts', async () => {
    const started = path.join(folder, 'started');
    const source = `require('fs').mkdirSync(${JSON.stringify(started)}, { recursive: true })`;
    for (const [file, message] of [
      ['/nope/x.html', /no folder \/nope/],
      [folder, /is a folder/],
    ] as const) {
      const { exitCode, error } = await conform('--report', file, '--', process.execPath, '-e', source);
      expect([exitCode, error]).toEqual([2, expect.stringMatching(message)]);
    }
    expect(existsSync(started)).toBe(false);
  });

  test('a program that fails at once is shown with its error, and ends the run', async () => {
    const { exitCode, out } = await conform('--', process.execPath, path.join(folder, 'missing.mjs'));
    expect(exitCode).toBe(1);
    expect(out).toMatch(/NOT REACHED .*exited with 1\.\n[^]*Cannot find module .*missing\.mjs/);
    expect(out).toContain('0 of 1 cases passed');
  });
});
