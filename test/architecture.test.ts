import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import ts from 'typescript';

/**
 * The layers of `src`: a request goes from the top to the bottom, and so do the imports. Whoever needs an exception
 * writes it here, with the reason.
 */
const root = path.join(__dirname, '..');

interface Import {
  from: string;
  to: string;
  isTypeOnly: boolean;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
}

/** Imports of our own files, as paths from the root without .ts. */
function importsOf(file: string): Import[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(path.join(root, file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const found: Import[] = [];
  const visit = (node: ts.Node): void => {
    const specifier =
      ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
        ? node.moduleSpecifier
        : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
          ? node.arguments[0]
          : undefined;
    if (specifier && ts.isStringLiteral(specifier) && specifier.text.startsWith('.')) {
      const to = path.join(path.dirname(file), specifier.text).replace(/\.js$/, '');
      const isTypeOnly =
        ts.isImportDeclaration(node) && node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
      found.push({ from: file.replace(/\.ts$/, ''), to, isTypeOnly });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const files = sourceFiles('src');
const imports = files.flatMap(importsOf);

const moduleOf = (file: string): string | undefined => /^src\/modules\/([^/]+)\//.exec(file)?.[1];
const roleOf = (file: string): string | undefined => /\.(\w[\w-]*)$/.exec(path.basename(file))?.[1];
const describeImport = ({ from, to }: Import): string => `${from} → ${to}`;

function violations(isForbidden: (imported: Import) => boolean): string[] {
  return imports.filter(isForbidden).map(describeImport);
}

test('there are sources and imports to check', () => {
  expect(files.length).toBeGreaterThan(50);
  expect(imports.length).toBeGreaterThan(100);
});

test('shared imports nothing of ours', () => {
  expect(
    violations(({ from, to }) => from.startsWith('src/shared/') && !to.startsWith('src/shared/')),
  ).toEqual([]);
});

test('db imports only db and shared', () => {
  expect(violations(({ from, to }) => from.startsWith('src/db/') && !/^src\/(db|shared)\//.test(to))).toEqual(
    [],
  );
});

test('http imports only http and shared, and the errors of db that it translates', () => {
  expect(
    violations(
      ({ from, to }) =>
        from.startsWith('src/http/') && !/^src\/(http|shared)\//.test(to) && to !== 'src/db/errors',
    ),
  ).toEqual([]);
});

test('modules do not import each other, except orders and contributions the transactions they share', () => {
  const allowed = new Set(['orders → transactions', 'contributions → transactions']);
  expect(
    violations(({ from, to }) => {
      const [source, target] = [moduleOf(from), moduleOf(to)];
      return (
        source !== undefined &&
        target !== undefined &&
        source !== target &&
        !allowed.has(`${source} → ${target}`)
      );
    }),
  ).toEqual([]);
});

test('modules import nothing from above them', () => {
  expect(
    violations(
      ({ from, to }) => moduleOf(from) !== undefined && !/^src\/(modules|http|db|shared)\//.test(to),
    ),
  ).toEqual([]);
});

test('contracts import only http, shared, and what belongs to a contract', () => {
  expect(
    violations(
      ({ from, to }) =>
        roleOf(from) === 'contract' && !/^src\/(http|shared)\//.test(to) && !/\.(contract|cursor)$/.test(to),
    ),
  ).toEqual([]);
});

/** Within a module a file imports only roles at its own height or below. Types may be named from anywhere in it. */
const heights: Readonly<Record<string, number>> = {
  router: 5,
  handler: 4,
  middleware: 4,
  contract: 3,
  service: 3,
  presenter: 2,
  'read-model': 2,
  store: 2,
  cursor: 1,
  statement: 1,
};

test('within a module imports go down: router, service, store', () => {
  expect(
    violations(({ from, to, isTypeOnly }) => {
      const [source, target] = [heights[roleOf(from) ?? ''], heights[roleOf(to) ?? '']];
      return (
        !isTypeOnly &&
        moduleOf(to) !== undefined &&
        source !== undefined &&
        target !== undefined &&
        source < target
      );
    }),
  ).toEqual([]);
});

test('only stores, read models and db know SQL and the database', () => {
  const knowsDatabase = /\.(store|read-model|statement)$/;
  expect(
    violations(
      ({ from, to }) =>
        moduleOf(from) !== undefined &&
        to.startsWith('src/db/') &&
        to !== 'src/db/errors' &&
        !knowsDatabase.test(from) &&
        // Readiness asks what the schema is; it has no table of its own.
        from !== 'src/modules/health/health.service',
    ),
  ).toEqual([]);
});

test('only the container wires: nothing else imports the factories of stores and services', () => {
  const wiring = new Set(['src/container', 'src/cli/operator', 'src/cli/operations']);
  expect(
    violations(
      ({ from, to, isTypeOnly }) =>
        !isTypeOnly &&
        !wiring.has(from) &&
        moduleOf(from) !== moduleOf(to) &&
        /\.(service|store|read-model)$/.test(to),
    ).filter((line) => !/→ src\/modules\/transactions\/transactions\.service$/.test(line)),
  ).toEqual([]);
});

test('metrics know the rest of the service by its types alone, and only they know Prometheus', () => {
  expect(
    violations(
      ({ from, to, isTypeOnly }) =>
        from.startsWith('src/metrics/') &&
        !isTypeOnly &&
        !/^src\/(metrics|shared)\//.test(to) &&
        to !== 'src/db/observer',
    ),
  ).toEqual([]);
  const known = files.filter((file) => /'prom-client'/.test(readFileSync(path.join(root, file), 'utf8')));
  expect(known.length).toBeGreaterThan(0);
  expect(known.filter((file) => !file.startsWith('src/metrics/'))).toEqual([]);
  expect(
    violations(
      ({ from, to }) => to.startsWith('src/metrics/') && !/^src\/(metrics\/|container$|server$)/.test(from),
    ),
  ).toEqual([]);
});

test('only programs and the configuration read the environment of the process', () => {
  const readers = files.filter((file) => /process\.env/.test(readFileSync(path.join(root, file), 'utf8')));
  // Tracing must be there before anything is loaded, and its variables are OpenTelemetry's.
  const allowed = [
    'src/cli/health.ts',
    'src/cli/main.ts',
    'src/cli/migrate.ts',
    'src/cli/operator.ts',
    'src/server.ts',
    'src/tracing/tracing.ts',
  ];
  expect(readers.filter((file) => !allowed.includes(file) && !file.startsWith('src/db/embedded/'))).toEqual(
    [],
  );
});
