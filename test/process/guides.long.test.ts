import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

import ts from 'typescript';

import { readDemo } from '../../src/startup/demo-file';
import { type Block, blocksOf, withoutVariableParts } from '../support/documents';
import {
  build,
  killLeftoverProcesses,
  root,
  runProcess,
  RunningService,
  temporaryFolder,
} from '../support/program';

/**
 * Runs the examples of the guides as a reader would: one guide after another, top to bottom,
 * against a new service with its demo. Programs are saved unchanged and run with this Node.js; CI
 * runs this file on Node 20 and 24. TypeScript programs are also type-checked.
 */
const guides = [
  'start',
  'sdk',
  'bank',
  'credentials',
  'errors',
  'sandbox',
  'events',
  'statements',
  'month-end',
  'what-arrived',
  'conformance',
] as const;
type Guide = (typeof guides)[number];
type Language = 'js' | 'sh' | 'ts' | 'py';

const blocksIn = (guide: Guide, language: Language): Block[] =>
  blocksOf(readFileSync(path.join(root, 'docs', 'guides', `${guide}.md`), 'utf8'), [language]);
const hasCurl = spawnSync('curl', ['--version']).status === 0;
const hasPython = spawnSync('python3', ['--version']).status === 0;
const marker = '=== next block ===';

/**
 * The guide for the conformance kit is left out, because its SDK program is in the SDK's README.
 */
const withSdk = guides.filter((guide) => guide !== 'conformance' && blocksIn(guide, 'js').length > 0);

let folder: ReturnType<typeof temporaryFolder>;
let baseUrl: string;
/** The output of each block of a guide. */
const outputs = new Map<string, string[]>();

/** The values that a reader replaces: the URL, and the key pair of a company or a bank. */
function asReader(guide: Guide, text: string): string {
  const demo = readDemo(path.join(folder.path, '.data'))!;
  const role = guide === 'bank' || guide === 'month-end' ? 'partner_bank' : 'sdk_host';
  const pair = demo.companies.find((company) => company.role === role)!.environments.test;
  return text
    .replaceAll('https://api.example.org', baseUrl)
    .replaceAll('cpk_test_…', pair.api_key)
    .replaceAll('cps_test_…', pair.api_secret);
}

async function runCurl(guide: Guide): Promise<void> {
  const prelude = guide === 'start' ? '' : blocksIn('start', 'sh')[0]!.text.replace(/^call GET[\s\S]*/m, '');
  const script = blocksIn(guide, 'sh')
    .map(({ text }) => `${text}\necho '${marker}'`)
    .join('\n');
  const file = path.join(folder.path, `${guide}.sh`);
  writeFileSync(file, `set -e\n${asReader('start', prelude)}\n${asReader(guide, script)}`);
  const { exitCode, output } = await runProcess('bash', [file], {}, folder.path);
  expect([exitCode, output]).toEqual([0, expect.any(String)]);
  outputs.set(`${guide} sh`, output.split(marker));
}

/**
 * A guide's program as a reader saves it: the client of the first guide, then the guide's own
 * blocks.
 */
function programOf(guide: Guide, language: Language = 'ts'): string {
  return [...new Set<Guide>(['start', guide])]
    .flatMap((part) => blocksIn(part, language))
    .map(({ text }) => text)
    .join('\n');
}

/** Node 20 does not run TypeScript, as the guide says. */
const runsTypeScript = (process.features as { typescript?: unknown }).typescript === 'strip';
const forms = runsTypeScript ? (['mts', 'mjs'] as const) : (['mjs'] as const);
type Form = (typeof forms)[number];

async function textOf(guide: Guide, form: Form): Promise<string> {
  if (form === 'mts') return programOf(guide);
  const expectedOutput = await fetch(`${baseUrl}/docs/examples/${guide}.mjs`);
  expect(expectedOutput.status).toBe(200);
  return expectedOutput.text();
}

function variablesOf(guide: Guide): Record<string, string> {
  const exports = asReader(guide, "API_KEY='cpk_test_…' API_SECRET='cps_test_…'");
  const [, key = '', secret = ''] = /API_KEY='(.*)' API_SECRET='(.*)'/.exec(exports) ?? [];
  const url = `${baseUrl}/company/integration`;
  return {
    CONTRIBUTION_API_URL: url,
    CONTRIBUTION_API_KEY: key,
    CONTRIBUTION_API_SECRET: secret,
    API: url,
    API_KEY: key,
    API_SECRET: secret,
  };
}

/** Saves a guide's program unchanged and runs it as the guide says. */
async function runProgram(guide: Guide, form: Form): Promise<void> {
  const file = `${guide}.${form}`;
  writeFileSync(path.join(folder.path, file), await textOf(guide, form));
  const { exitCode, output } = await runProcess(process.execPath, [file], variablesOf(guide), folder.path);
  expect([file, exitCode, output]).toEqual([file, 0, expect.any(String)]);
  outputs.set(`${guide} ${form}`, [output]);
}

/** Widens the range of a month, so that it includes the contributions of these examples. */
const ofToday = (program: string): string =>
  program.replace('2026-11-01T', '2026-01-01T').replace('2026-12-01T', '2099-01-01T');

/** Runs the samples with the SDK: the client of the first guide, then the guide's own samples. */
async function runSdk(guide: Guide): Promise<void> {
  const [start = '', ...others] = [...new Set<Guide>(['start', guide])].flatMap((part) =>
    blocksIn(part, 'js').map(({ text }) => text),
  );
  const own = guide === 'start' ? [start] : [start.replace(/^console\.log.*$/m, ''), ...others];
  const file = `${guide}.sdk.mjs`;
  const program = own.join(`\nconsole.log('${marker}');\n`);
  writeFileSync(path.join(folder.path, file), guide === 'month-end' ? ofToday(program) : program);
  const { exitCode, output } = await runProcess(process.execPath, [file], variablesOf(guide), folder.path);
  expect([file, exitCode, output]).toEqual([file, 0, expect.any(String)]);
  outputs.set(`${guide} js`, output.split(marker).slice(guide === 'start' ? 0 : 1));
}

/** Saves a guide's program in Python unchanged and runs it as the guide says. */
async function runPython(guide: Guide): Promise<void> {
  const file = `${guide}.py`;
  writeFileSync(path.join(folder.path, file), programOf(guide, 'py'));
  const { exitCode, output } = await runProcess('python3', [file], variablesOf(guide), folder.path);
  expect([file, exitCode, output]).toEqual([file, 0, expect.any(String)]);
  outputs.set(`${guide} py`, [output]);
}

beforeAll(async () => {
  await build();
  folder = temporaryFolder();
  symlinkSync(path.join(root, 'node_modules'), path.join(folder.path, 'node_modules'));
  const service = await RunningService.start({ DATA_DIRECTORY: path.join(folder.path, '.data') });
  baseUrl = service.baseUrl;
  for (const guide of guides) {
    if (hasCurl) await runCurl(guide);
    for (const form of blocksIn(guide, 'ts').length > 0 ? forms : []) await runProgram(guide, form);
    if (hasPython && blocksIn(guide, 'py').length > 0) await runPython(guide);
    if (withSdk.includes(guide)) await runSdk(guide);
  }
  await service.signal('SIGTERM');
});
afterAll(async () => {
  await killLeftoverProcesses();
  folder.remove();
});

const cases = (language: Language) =>
  guides.flatMap((guide) =>
    blocksIn(guide, language).map((block, index) => {
      const lines = block.text.trim().split('\n');
      return [guide, lines.at(-1)!, block, index] as const;
    }),
  );

function expectOutput(key: string, { expectedOutput }: Block, index: number): void {
  const output = outputs.get(key)![index]!.trim();
  if (expectedOutput?.language === 'json')
    expect(withoutVariableParts(output)).toEqual(withoutVariableParts(expectedOutput.text));
  else expect(output).toBe(expectedOutput?.text.trim() ?? '');
}

test('the guides have examples in both languages', () => {
  expect(cases('sh').length).toBeGreaterThanOrEqual(10);
  expect(cases('ts').length).toBeGreaterThanOrEqual(8);
});

// Without curl these tests are skipped; CI has it.
(hasCurl ? describe : describe.skip)(`curl in the guides${hasCurl ? '' : ' (skipped: no curl here)'}`, () => {
  test.each(cases('sh'))('%s: %s prints the documented output', (guide, _line, block, index) => {
    // The main component of a user is printed below the TypeScript block of the guide, not here.
    if (block.expectedOutput === undefined && /^call /m.test(block.text)) {
      expect(() => JSON.parse(outputs.get(`${guide} sh`)![index]!) as unknown).not.toThrow();
      return;
    }
    expectOutput(`${guide} sh`, block, index);
  });
});

describe('the SDK in the guides', () => {
  test.each(cases('js').filter(([guide]) => withSdk.includes(guide)))(
    '%s: %s prints the documented output, or nothing',
    (guide, _line, block, index) => {
      if (guide === 'month-end') return;
      if (block.text.includes('console.log')) expectOutput(`${guide} js`, block, index);
      else expect(outputs.get(`${guide} js`)![index]!.trim()).toBe('');
    },
  );

  test('the check of a month finds unconfirmed contributions, although none is open', () => {
    const lines = outputs.get('month-end js')!.at(-1)!.trim().split('\n');
    expect(lines.filter((line) => /^unconfirmed [1-9]/.test(line))).toHaveLength(1);
    expect(lines.at(-1)).toBe('The month is open');
  });

  test('every guide with samples leads with the SDK', () => {
    // The steps of `what-arrived` are in `statements`, which uses the SDK.
    const without = ['conformance', 'what-arrived'];
    expect(withSdk).toEqual(guides.filter((guide) => !without.includes(guide)));
  });

  test('the program for the conformance kit is that of the README', () => {
    const readme = readFileSync(path.join(root, 'packages', 'sdk', 'README.md'), 'utf8');
    expect(readme).toContain(blocksIn('conformance', 'js')[0]!.text);
  });
});

/** What the program of a guide prints. */
const shownBy = (guide: Guide, language: Language): string =>
  [...new Set<Guide>(['start', guide])]
    .flatMap((part) => blocksIn(part, language))
    .map(({ expectedOutput }) => expectedOutput?.text ?? '')
    .join('');

const inPython = guides.filter((guide) => blocksIn(guide, 'py').length > 0);

test('every example in TypeScript is also in Python', () => {
  const countOf = (guide: Guide, language: Language): number => blocksIn(guide, language).length;
  expect(guides.map((guide) => countOf(guide, 'py'))).toEqual(guides.map((guide) => countOf(guide, 'ts')));
});

(hasPython ? describe : describe.skip)('Python in the guides', () => {
  test.each(inPython)('%s prints the documented output', (guide) => {
    expect(outputs.get(`${guide} py`)).toEqual([shownBy(guide, 'py')]);
  });
});

const programs = guides
  .filter((guide) => blocksIn(guide, 'ts').length > 0)
  .flatMap((guide) => forms.map((form) => [guide, form] as const));

describe('TypeScript in the guides', () => {
  test.each(programs)('%s as a .%s file prints the documented output with this Node.js', (guide, form) => {
    expect(outputs.get(`${guide} ${form}`)).toEqual([shownBy(guide, 'ts')]);
  });

  test.each(forms)('the client as a .%s file retries once after 500 internal_error', async (form) => {
    let requests = 0;
    const server = createServer((_req, res) => {
      requests += 1;
      const body = { code: 'internal_error', detail: 'A fault.', retryable: false, request_id: 'a' };
      res.writeHead(500, { 'Content-Type': 'application/problem+json' }).end(JSON.stringify(body));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const settings = {
      CONTRIBUTION_API_URL: `http://127.0.0.1:${port}/company/integration`,
      CONTRIBUTION_API_KEY: 'a',
      CONTRIBUTION_API_SECRET: 'b',
    };
    const { exitCode, output } = await runProcess(process.execPath, [`start.${form}`], settings, folder.path);
    server.close();
    expect([exitCode, output]).toEqual([1, expect.stringContaining('internal_error: A fault.')]);
    expect(requests).toBe(2);
  });

  test('has no type errors in strict mode', () => {
    const place = path.join(folder.path, 'types');
    mkdirSync(place);
    symlinkSync(path.join(root, 'node_modules'), path.join(place, 'node_modules'));
    const files = guides.map((guide) => {
      const file = path.join(place, `${guide}.mts`);
      writeFileSync(file, `${programOf(guide)}\nexport {};\n`);
      return file;
    });
    const program = ts.createProgram(files, {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      erasableSyntaxOnly: true,
      noEmit: true,
      skipLibCheck: true,
      types: ['node'],
      typeRoots: [path.join(root, 'node_modules', '@types')],
    });
    const problems = ts
      .getPreEmitDiagnostics(program)
      .map(
        ({ messageText, file, start }) =>
          `${file ? `${path.basename(file.fileName)}:${file.getLineAndCharacterOfPosition(start ?? 0).line + 1}` : ''} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
      );
    expect(problems).toEqual([]);
  });
});
