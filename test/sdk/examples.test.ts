import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import ts from 'typescript';

import { blocksOf } from '../support/documents';
import { root } from '../support/program';

/** Every `@example` of the SDK's sources compiles, and every TypeScript sample of its README. */
const sources = path.join(root, 'packages', 'sdk', 'src');

/** What the examples use without declaring it. An example may declare a name again. */
const prelude = `
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as http from 'node:http';
import * as files from 'node:fs/promises';
import * as postgres from 'pg';
import * as sdk from '${sources}/index.js';
import * as node from '${sources}/node/index.js';
declare global {
  const { ContributionCore, ContributionService, RequestRejected, transactionId, webhooks }: typeof sdk;
  const { FileIntentStore, PostgresIntentStore, webhookHandler }: typeof node;
  const client: sdk.ContributionService;
  const event: sdk.Event;
  const project: sdk.Project;
  const error: unknown;
  const request: Request;
  const user: string, user_hash: string, orderId: string, secret: string;
  const endpoint_id: string, file_id: string, entry_id: string, account_id: string, return_id: string;
  const other_account_id: string;
  const lastSequence: number;
  const signal: AbortSignal;
  const completions: sdk.Completion[];
  function pay(row: sdk.Contribution): void;
  function hide(project: sdk.Project): void;
  function onEvent(event: sdk.WebhookEvent): Promise<void>;
  const app: { post(path: string, handler: (req: IncomingMessage, res: ServerResponse) => void): void };
}
declare global {
  const createServer: typeof http.createServer;
  const readFile: typeof files.readFile;
  const pg: typeof postgres;
}
`;

interface Example {
  name: string;
  code: string;
}

function examplesIn(file: string): Example[] {
  const text = readFileSync(path.join(sources, file), 'utf8');
  return Array.from(
    text.matchAll(/\/\*\*(?:(?!\*\/)[^])*?@example\n((?:(?!\*\/)[^])*)\*\//g),
    (match, index) => ({
      name: `${file}, example ${index + 1}`,
      code: (match[1] ?? '').replace(/^ *\* ?/gm, ''),
    }),
  );
}

const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);
const readme = readFileSync(path.join(root, 'packages', 'sdk', 'README.md'), 'utf8');
const examples = [
  ...files.flatMap(examplesIn),
  ...blocksOf(readme, ['ts']).map(({ text }, index) => ({ name: `README, ts ${index + 1}`, code: text })),
];

/** The errors of each example, by its file. */
function compile(): Map<string, string[]> {
  const texts = new Map(
    examples.map(({ code }, index) => [`/examples/${index}.mts`, `export {};\n{\n${code}\n}\n`]),
  );
  texts.set('/examples/prelude.mts', prelude);
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.Preserve,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [path.join(root, 'node_modules', '@types')],
  };
  const host = ts.createCompilerHost(options);
  const read = host.readFile.bind(host);
  const exists = host.fileExists.bind(host);
  host.readFile = (name) => texts.get(name) ?? read(name);
  host.fileExists = (name) => texts.has(name) || exists(name);
  host.getSourceFile = (name, target) => {
    const text = host.readFile(name);
    return text === undefined ? undefined : ts.createSourceFile(name, text, target);
  };
  host.resolveModuleNameLiterals = (literals, file, _redirected, compilerOptions) =>
    literals.map(({ text }) =>
      ts.resolveModuleName(
        text,
        file.startsWith('/examples/') ? path.join(root, 'examples.mts') : file,
        compilerOptions,
        host,
      ),
    );
  const program = ts.createProgram([...texts.keys()], options, host);
  const errors = new Map<string, string[]>();
  for (const { file, messageText } of ts.getPreEmitDiagnostics(program)) {
    const name = file?.fileName ?? '';
    errors.set(name, [...(errors.get(name) ?? []), ts.flattenDiagnosticMessageText(messageText, '\n')]);
  }
  return errors;
}

let errors: Map<string, string[]>;
beforeAll(() => {
  errors = compile();
});

test('the examples are found, and what they use is declared', () => {
  expect(examples.length).toBeGreaterThan(40);
  expect(errors.get('/examples/prelude.mts')).toBeUndefined();
});

test.each(examples.map(({ name, code }, index) => [name, index, code] as const))(
  '%s compiles',
  (_name, index, code) => {
    expect([code, errors.get(`/examples/${index}.mts`) ?? []]).toEqual([code, []]);
  },
);
