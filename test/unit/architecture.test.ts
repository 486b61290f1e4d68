import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import ts from 'typescript';

/**
 * The layers of `src`: requests and imports go from top to bottom. Exceptions are listed here with
 * their reasons.
 */
const root = path.join(__dirname, '..', '..');

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

/** Imports of the project's own files, as paths from the root without .ts. */
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

const roleOf = (file: string): string | undefined => /\.(\w[\w-]*)$/.exec(path.basename(file))?.[1];

/** The feature of a file: its folder in `src/features`. */
const featureOf = (file: string): string | undefined => /^src\/features\/([^/]+)\//.exec(file)?.[1];

/** Commands, checks and findings, which a feature keeps in its folder. */
const isForOperators = (file: string): boolean =>
  file.startsWith('src/operator/') ||
  /^src\/features\/[^/]+\/(cli|operator|report)\//.test(file) ||
  ['checks', 'findings'].includes(roleOf(file) ?? '') ||
  file === 'src/features/events/feed-state';

/** The part of the API to which a file belongs: a noun of the core, or a feature. */
const moduleOf = (file: string): string | undefined => {
  const [, folder, name] = /^src\/(core|features)\/([^/]+)\//.exec(file) ?? [];
  return folder === undefined || isForOperators(file) || name === 'documentation' ? undefined : name;
};
const describeImport = ({ from, to }: Import): string => `${from} → ${to}`;

function violations(isForbidden: (imported: Import) => boolean): string[] {
  return imports.filter(isForbidden).map(describeImport);
}

test('there are sources and imports to check', () => {
  expect(files.length).toBeGreaterThan(50);
  expect(imports.length).toBeGreaterThan(100);
});

test('shared imports nothing from the project', () => {
  expect(
    violations(({ from, to }) => from.startsWith('src/shared/') && !to.startsWith('src/shared/')),
  ).toEqual([]);
});

test('internals imports nothing from the project', () => {
  expect(
    violations(({ from, to }) => from.startsWith('src/internals/') && !to.startsWith('src/internals/')),
  ).toEqual([]);
});

test('db imports only db, internals and shared', () => {
  expect(
    violations(({ from, to }) => from.startsWith('src/db/') && !/^src\/(db|internals|shared)\//.test(to)),
  ).toEqual([]);
});

test('only db/citus knows that a cluster is one of Citus, and two files of db lead there', () => {
  const doors = ['src/db/cluster', 'src/db/errors'];
  const inside = (file: string): boolean => file.startsWith('src/db/citus/');
  expect(
    violations(({ from, to }) => !inside(from) && inside(to)).filter(
      (line) => !doors.some((door) => line.startsWith(`${door} →`)),
    ),
  ).toEqual([]);
  const known = files.filter(
    (file) =>
      !inside(file) &&
      !doors.includes(file.replace(/\.ts$/, '')) &&
      /citus|coordinator|\bshards?\b/i.test(readFileSync(path.join(root, file), 'utf8')),
  );
  expect(known).toEqual([]);
});

test('http imports only http, internals and shared, and the errors of db that it translates', () => {
  expect(
    violations(
      ({ from, to }) =>
        from.startsWith('src/http/') && !/^src\/(http|internals|shared)\//.test(to) && to !== 'src/db/errors',
    ),
  ).toEqual([]);
});

test('http contains no product nouns outside the texts that partners read', () => {
  const texts =
    /^src\/http\/(openapi\/(information|operation-groups|problem-examples|headers)|errors\/(input-)?error-catalog)\.ts$/;
  // The service's name is one word and is allowed.
  const nouns = /user_?hash|project|transaction|contribution(?!-service)/i;
  const known = files
    .filter((file) => file.startsWith('src/http/') && !texts.test(file))
    .flatMap((file) =>
      readFileSync(path.join(root, file), 'utf8')
        .split('\n')
        .filter((line) => nouns.test(line))
        .map((line) => `${file}: ${line}`),
    );
  expect(known).toEqual([]);
});

test("modules import only each other's types and fields, except for the listed pairs", () => {
  // Events, returns, the sandbox and statements accept and show the same fields. Totals have the
  // same rights.
  const allowed = new Set(
    ['totals', 'events', 'orders', 'returns', 'sandbox', 'statements', 'bank-statements'].map(
      (module) => `${module} → contributions`,
    ),
  );
  // A webhook contains an event in the format of the feed, and a fault can disturb its delivery.
  allowed.add('webhooks → events').add('webhooks → sandbox');
  // Accounts are stored as hashes under the peppers.
  allowed.add('statements → key-pairs');
  // Uploads are encrypted under the peppers.
  allowed.add('bank-statements → key-pairs');
  // Rules that both features share, until bank-statements replaces statements and they move.
  allowed.add('bank-statements → statements');
  expect(
    violations(({ from, to, isTypeOnly }) => {
      const [source, target] = [moduleOf(from), moduleOf(to)];
      return (
        !isTypeOnly &&
        !to.endsWith('.field') &&
        source !== undefined &&
        target !== undefined &&
        source !== target &&
        !allowed.has(`${source} → ${target}`)
      );
    }),
  ).toEqual([]);
});

/** Files that build a feature from its parts. */
const composes = (file: string): boolean =>
  roleOf(file) === 'feature' ||
  file === 'src/features/webhooks/deliveries' ||
  // It needs the type of the process that has the keys.
  file === 'src/features/webhooks/endpoints/webhook-secrets';

test('packages of the API import downward: shared, db and http, then the core, then features', () => {
  expect(new Set(files.map(featureOf)).size).toBeGreaterThan(7);
  expect(
    violations(
      ({ from, to }) =>
        /^src\/(core|http|db|shared|metrics|operator)\//.test(from) && featureOf(to) !== undefined,
    ),
  ).toEqual([]);
});

/** The files that programs load, without what only `besides` loads. */
function loadedBy(programs: readonly string[], besides?: string): string[] {
  const loaded = new Set(programs.map((name) => `src/${name}`));
  for (const file of loaded) {
    for (const { from, to, isTypeOnly } of imports)
      if ([file, `${file}/index`].includes(from) && !isTypeOnly && to !== besides) loaded.add(to);
  }
  return [...loaded];
}

test('the health check, migrations and seeds start without loading features', () => {
  const loaded = loadedBy(['health', 'migrate', 'seed'].map((name) => `operator/cli/${name}`));
  expect(loaded.length).toBeGreaterThan(50);
  expect(loaded.filter((file) => file === 'src/features' || featureOf(file) !== undefined)).toEqual([]);
});

test('programs load features only through the list in features.ts', () => {
  const loaded = loadedBy(['server', 'deliver', 'operator/cli/main'], 'src/features');
  expect(loaded.length).toBeGreaterThan(100);
  expect(loaded.filter((file) => featureOf(file) !== undefined)).toEqual([]);
});

test('the core and features import nothing from higher layers', () => {
  expect(
    violations(
      ({ from, to }) =>
        moduleOf(from) !== undefined &&
        !/^src\/(core|features|http|db|shared)\//.test(to) &&
        !/^src\/metrics\/(readings|feature-metrics|outcomes)$/.test(to) &&
        !composes(from),
    ),
  ).toEqual([]);
});

test('contracts import only http, shared, and the parts of a contract', () => {
  expect(
    violations(
      ({ from, to }) =>
        roleOf(from) === 'contract' &&
        !/^src\/(http|shared)\//.test(to) &&
        !/\.(contract|cursor|fields?)$/.test(to),
    ),
  ).toEqual([]);
});

/**
 * Within a module, a file imports only roles at its own level or below. Types may be imported from
 * any level.
 */
const heights: Readonly<Record<string, number>> = {
  router: 5,
  handler: 4,
  contract: 3,
  service: 3,
  presenter: 2,
  'read-model': 2,
  store: 2,
  cursor: 1,
  query: 1,
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

test('only stores, read models and db use SQL and the database', () => {
  const knowsDatabase = /\.(store|read-model|query)$/;
  expect(
    violations(
      ({ from, to }) =>
        moduleOf(from) !== undefined &&
        to.startsWith('src/db/') &&
        to !== 'src/db/errors' &&
        !knowsDatabase.test(from) &&
        // Readiness checks the schema version and has no table.
        from !== 'src/core/health/health.service',
    ),
  ).toEqual([]);
});

test('only compositions and commands of the operator import the factories of stores and services', () => {
  const wiring = new Set([
    'src/container',
    'src/container/delivery-process',
    'src/container/http',
    'src/container/key-pairs',
    'src/core/core',
    'src/operator/cli/operator',
    'src/operator/commands/operations',
  ]);
  expect(
    violations(
      ({ from, to, isTypeOnly }) =>
        !isTypeOnly &&
        !wiring.has(from) &&
        !composes(from) &&
        !(isForOperators(from) && /\.(command|findings|operations)$/.test(from)) &&
        moduleOf(from) !== moduleOf(to) &&
        /\.(service|store|read-model)$/.test(to),
    ).filter((line) => !/→ src\/core\/contributions\/contributions\.service$/.test(line)),
  ).toEqual([]);
});

test('metrics import only types from the rest of the service, and only they import Prometheus', () => {
  expect(
    violations(
      ({ from, to, isTypeOnly }) =>
        from.startsWith('src/metrics/') &&
        !isTypeOnly &&
        !/^src\/(metrics|shared)\//.test(to) &&
        to !== 'src/db/pool/observer',
    ),
  ).toEqual([]);
  const known = files.filter((file) =>
    /^import (?!type ).*'prom-client'/m.test(readFileSync(path.join(root, file), 'utf8')),
  );
  expect(known.length).toBeGreaterThan(0);
  expect(known.filter((file) => !file.startsWith('src/metrics/'))).toEqual([]);
  expect(
    violations(
      ({ from, to }) =>
        to.startsWith('src/metrics/') &&
        !/^src\/metrics\/(readings|feature-metrics|outcomes)$/.test(to) &&
        !composes(from) &&
        !/^src\/(metrics\/|container$|container\/|programs\/|server$)/.test(from),
    ),
  ).toEqual([]);
});

test('every connection to PostgreSQL has the session settings, except those that need none', () => {
  const without = [...files, ...sourceFiles('test')].filter((file) => {
    const text = readFileSync(path.join(root, file), 'utf8');
    const opens = /from 'pg';/.test(text) && /new \w*(Client|Pool)\(/.test(text);
    return opens && !/\bsessionConfig\(/.test(text);
  });
  expect(without).toEqual([
    // They may reach a pooler, which rejects the settings. Transactions set them instead.
    'src/db/notifications.ts',
    'src/db/operator-transaction.ts',
    'src/db/pool/connection-probe.ts',
    // It does not connect.
    'src/db/pool/transport.ts',
    // It gets the configuration of the pool.
    'src/db/pool/trial-commit.ts',
    'src/db/roles/role-settings.ts',
    // They show the defaults and the pooler.
    'test/schema/session-settings.test.ts',
    'test/suites/pgbouncer/pgbouncer.ts',
  ]);
});

test('only programs and the configuration read environment variables', () => {
  const readers = files.filter((file) => /process\.env/.test(readFileSync(path.join(root, file), 'utf8')));
  // Tracing must start before any other module is loaded, and its variables are OpenTelemetry's.
  // The driver itself reads the variables of libpq.
  const allowed = [
    'src/db/pg-variables.ts',
    'src/operator/cli/health.ts',
    'src/operator/cli/process-io.ts',
    'src/programs/run-program.ts',
    'src/startup/load-environment.ts',
    'src/tracing/tracing.ts',
  ];
  expect(readers.filter((file) => !allowed.includes(file))).toEqual([]);
});

test('operator imports db, shared and public parts of the core, never routers or contracts', () => {
  expect(
    violations(
      ({ from, to }) =>
        from.startsWith('src/operator/') &&
        to.startsWith('src/') &&
        !/^src\/(operator|db|shared|startup|core)\//.test(to) &&
        !/^src\/(read-settings|contracts|features)$/.test(to),
    ),
  ).toEqual([]);
  expect(
    violations(
      ({ from, to }) =>
        from.startsWith('src/operator/') && /\.(router|handler|middleware|contract|presenter)$/.test(to),
    ),
  ).toEqual([]);
});

test('startup imports db, shared, settings and the formats of keys', () => {
  const allowed =
    /^src\/((startup|db|shared)\/|(read-settings|service\.settings|core\/key-pairs\/credentials)$)/;
  expect(
    violations(
      ({ from, to }) => from.startsWith('src/startup/') && to.startsWith('src/') && !allowed.test(to),
    ),
  ).toEqual([]);
});

test('src and bench have no import cycles, including type imports', () => {
  const everything = [...files, ...sourceFiles('bench')];
  const modules = new Set(everything.map((file) => file.replace(/\.ts$/, '')));
  const graph = new Map<string, string[]>();
  for (const { from, to } of everything.flatMap(importsOf)) {
    const target = [to, `${to}/index`].find((candidate) => modules.has(candidate));
    if (target !== undefined) graph.set(from, [...(graph.get(from) ?? []), target]);
  }
  const finished = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, above: readonly string[]): void => {
    if (above.includes(file)) {
      cycles.push([...above.slice(above.indexOf(file)), file].join(' → '));
      return;
    }
    if (finished.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...above, file]);
    finished.add(file);
  };
  for (const file of modules) visit(file, []);
  expect(graph.size).toBeGreaterThan(100);
  expect(cycles).toEqual([]);
});

// packages ← core ← features ← composition. Every layer may use the packages.
const packages = readdirSync(path.join(root, 'packages'));

test('a package imports nothing of the service, and nothing of another package', () => {
  expect(packages).toContain('bank-files');
  for (const name of packages) {
    const folder = `packages/${name}/src/`;
    const outside = sourceFiles(folder)
      .flatMap(importsOf)
      .filter(({ to }) => !`${to}/`.startsWith(folder));
    expect(outside.map(describeImport)).toEqual([]);
    const text = sourceFiles(folder).map((file) => readFileSync(path.join(root, file), 'utf8'));
    expect(text.join('\n')).not.toMatch(/from '@contribution-service\//);
  }
});

test('a package other than the SDK has no product nouns, so another project could use it', () => {
  // Stripe names a column balance_transaction_id.
  const nouns = /user_?hash|project|(?<!balance_)transaction_?id|donation|contribution(?!-service)/i;
  const general = packages.filter((name) => name !== 'sdk');
  const texts = general.flatMap((name) => [
    `packages/${name}/README.md`,
    `packages/${name}/package.json`,
    ...sourceFiles(`packages/${name}/src`),
    ...sourceFiles(`packages/${name}/test`),
  ]);
  expect(texts.filter((file) => nouns.test(readFileSync(path.join(root, file), 'utf8')))).toEqual([]);
});

test('the service imports packages only by their names', () => {
  expect(violations(({ to }) => to.startsWith('packages/'))).toEqual([]);
});
