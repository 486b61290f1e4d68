import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

import ts from 'typescript';

import {
  blocksIn,
  DocumentReader,
  forms,
  type Guide,
  guides,
  hasCurl,
  hasPython,
  type Language,
  programOf,
  withSdk,
} from '../support/document-reader';
import { type Block, withoutVariableParts } from '../support/documents';
import { killLeftoverProcesses, root, runProcess } from '../support/program';

/**
 * Runs the examples of the guides as a reader would: one guide after another, top to bottom,
 * against a new service with its demo. Programs are saved unchanged and run with this Node.js; CI
 * runs this file on Node 20 and 24. TypeScript programs are also type-checked.
 */
let reader: DocumentReader;

beforeAll(async () => {
  reader = await DocumentReader.start();
  for (const guide of guides) await reader.read(guide);
});
afterAll(async () => {
  await reader.stop();
  await killLeftoverProcesses();
});

const cases = (language: Language) =>
  guides.flatMap((guide) =>
    blocksIn(guide, language).map((block, index) => {
      const lines = block.text.trim().split('\n');
      return [guide, lines.at(-1)!, block, index] as const;
    }),
  );

function expectOutput(key: string, { expectedOutput }: Block, index: number): void {
  const output = reader.outputs.get(key)![index]!.trim();
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
      expect(() => JSON.parse(reader.outputs.get(`${guide} sh`)![index]!) as unknown).not.toThrow();
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
      else expect(reader.outputs.get(`${guide} js`)![index]!.trim()).toBe('');
    },
  );

  test('the check of a month finds the days that its statements do not cover', () => {
    const lines = reader.outputs.get('month-end js')!.at(-1)!.trim().split('\n');
    expect(lines.filter((line) => line.startsWith('days_missing 2026-11-23 2026-11-25 '))).toHaveLength(1);
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
    expect(reader.outputs.get(`${guide} py`)).toEqual([shownBy(guide, 'py')]);
  });
});

const programs = guides
  .filter((guide) => blocksIn(guide, 'ts').length > 0)
  .flatMap((guide) => forms.map((form) => [guide, form] as const));

describe('TypeScript in the guides', () => {
  test.each(programs)('%s as a .%s file prints the documented output with this Node.js', (guide, form) => {
    expect(reader.outputs.get(`${guide} ${form}`)).toEqual([shownBy(guide, 'ts')]);
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
    const { exitCode, output } = await runProcess(
      process.execPath,
      [`start.${form}`],
      settings,
      reader.folder,
    );
    server.close();
    expect([exitCode, output]).toEqual([1, expect.stringContaining('internal_error: A fault.')]);
    expect(requests).toBe(2);
  });

  test('has no type errors in strict mode', () => {
    const place = path.join(reader.folder, 'types');
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
