import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

import { checkedFetch } from '../support/openapi/checked-fetch';
import { readSettings } from '../../src/read-settings';
import { knownMigrations } from '../../src/db/migrations/schema-state';
import type { Demo } from '../../src/startup/demo-file';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { runMigrate, runOps } from '../support/operator-commands';
import { operatorLogin } from '../support/role-url';
import {
  build,
  killLeftoverProcesses,
  root,
  runProcess,
  RunningService,
  temporaryFolder,
} from '../support/program';
import { randomPepper } from '../support/pepper';

/** The operator's commands on a database that is not the embedded one. */
let database: TestDatabase;
let folder: ReturnType<typeof temporaryFolder>;
let settings: Record<string, string>;

const seed = () => runProcess('npm', ['run', '--silent', 'seed'], settings);
const knex = (...command: string[]) =>
  runProcess(
    process.execPath,
    [path.join(root, 'node_modules', 'knex', 'bin', 'cli.js'), ...command, '--knexfile', 'knexfile.ts'],
    settings,
  );
const operator = (...command: string[]) => runOps(command, settings);

beforeAll(async () => {
  await build();
  database = await createTestDatabase('template1');
  folder = temporaryFolder();
  settings = {
    DATABASE_URL: database.url,
    ALLOW_PLAIN_HTTP: 'on',
    DATABASE_OWNER_URL: database.ownerUrl,
    DATABASE_OPERATOR_URL: database.operatorUrl,
    DATA_DIRECTORY: folder.path,
    CREDENTIAL_PEPPERS: `1:${randomPepper}`,
  };
});
afterAll(async () => {
  await killLeftoverProcesses();
  await database.drop();
  folder.remove();
});

test('the service rejects a database without its schema, and says which command to run', async () => {
  const { exitCode, output } = await runProcess(process.execPath, ['dist/src/server.js'], settings);
  expect(exitCode).toBe(1);
  expect(output).toContain('npm run migrate');
});

test('the help of the seed describes it and needs no database', async () => {
  const { exitCode, output } = await runProcess(
    process.execPath,
    ['dist/src/operator/cli/seed.js', '--help'],
    settings,
  );
  expect([exitCode, output]).toEqual([0, expect.stringContaining('Loads the demo data')]);
});

test('seeding a database without its schema says which command to run', async () => {
  const { exitCode, output } = await seed();
  expect([exitCode, output]).toEqual([1, expect.stringContaining('Run: npm run migrate')]);
});

test('a command on a database without its schema says so and lists the pending migrations', async () => {
  const refused = await operator('companies', 'create', 'Too Early');
  expect([refused.exitCode, refused.output]).toEqual([1, expect.stringContaining('Run: npm run migrate')]);
  const status = await runMigrate(['status'], settings);
  expect([status.exitCode, status.output]).toEqual([
    3,
    expect.stringContaining(`missing  ${knownMigrations()[0]}`),
  ]);
});

test('startup fails with the message of a database that rejects the credentials', async () => {
  const wrong = new URL(database.url);
  wrong.password = 'wrong';
  const program = ['dist/src/server.js'];
  const { exitCode, output } = await runProcess(process.execPath, program, {
    ...settings,
    DATABASE_URL: wrong.href,
  });
  expect(exitCode).toBe(1);
  expect(output).toContain('password authentication failed');
  expect(output).not.toContain('    at ');
});

test('migrating without owner privileges names the setting that gives them', async () => {
  const refused = await runMigrate(['up'], { ...settings, DATABASE_OWNER_URL: database.url });
  expect([refused.exitCode, refused.output]).toEqual([
    1,
    expect.stringMatching(
      /^contribution_service must own nothing, so it cannot migrate\. Set DATABASE_OWNER_URL to a login of the role/,
    ),
  ]);
});

test('without the compiler, as after npm prune --omit=dev, a stale build is used', async () => {
  const pruned = temporaryFolder();
  try {
    for (const name of ['scripts', 'src']) mkdirSync(path.join(pruned.path, name));
    for (const folder of ['.', 'packages/bank-files', 'packages/local-postgres']) {
      const dist = path.join(pruned.path, folder, 'dist');
      mkdirSync(dist, { recursive: true });
      writeFileSync(path.join(dist, '.built'), '');
      utimesSync(path.join(dist, '.built'), 0, 0);
    }
    const script = path.join(pruned.path, 'scripts', 'build.mjs');
    copyFileSync(path.join(root, 'scripts', 'build.mjs'), script);
    expect(await runProcess(process.execPath, [script, '--if-stale'])).toEqual({ exitCode: 0, output: '' });
    // An explicit build fails with a message.
    const refused = await runProcess(process.execPath, [script]);
    expect([refused.exitCode, refused.output]).toEqual([
      1,
      expect.stringMatching(
        /^The compiler is a development dependency[^]*NODE_ENV=production[^]*\nRun: npm ci --include=dev && /,
      ),
    ]);
    expect(existsSync(path.join(pruned.path, 'dist', '.built'))).toBe(true);
    // `npm ci --omit=dev` runs this as its `prepare`. The program loads the packages.
    for (const folder of ['packages/local-postgres', '.']) {
      rmSync(path.join(pruned.path, folder, 'dist'), { recursive: true });
      expect(await runProcess(process.execPath, [script, '--if-stale'])).toEqual(refused);
    }
  } finally {
    pruned.remove();
  }
});

test.each(['start', 'migrate', 'migrate:status', 'migrate:down', 'seed', 'ops'])(
  'npm run %s needs no development package, which npm prune --omit=dev removes',
  async (script) => {
    const { output } = await runProcess('npm', ['run', '--silent', script], {
      // Each program rejects this setting, so it has loaded its packages and does nothing else.
      PORT: 'nonsense',
      NODE_OPTIONS: `--require ${path.join(__dirname, 'without-development-packages.cjs')}`,
    });
    expect(output).toMatch(script === 'ops' ? /^Usage: contribution-service/ : /PORT/);
  },
);

test('concurrent migrations run one after another, and seeding twice has the same result', async () => {
  const { exitCode, output } = await runProcess('npm', ['run', '--silent', 'migrate'], settings);
  expect(exitCode).toBe(0);
  for (const name of knownMigrations()) expect(output).toContain(`${name}: done in`);
  expect(output).toMatch(/^Applied \d+ migrations? and \d+ files\.$/m);
  const counts = async () => {
    const tables = [
      'projects',
      'project_highlights',
      'stories',
      'companies',
      'key_pairs',
      'bank_links',
      'users',
      'transactions',
      'supports',
      'story_views',
      'events',
    ];
    const sums = tables.map((table) => `(SELECT count(*)::int FROM ${table}) AS ${table}`);
    return (await database.admin.query<Record<string, number>>(`SELECT ${sums.join(', ')}`)).rows[0]!;
  };
  expect(await seed()).toMatchObject({ exitCode: 0 });
  const first = await counts();
  expect(await seed()).toMatchObject({ exitCode: 0 });
  expect(await counts()).toEqual(first);
  expect(first['projects']).toBeGreaterThanOrEqual(24);
  expect(Object.values(first).every((count) => count > 0)).toBe(true);
});

test('the Knex command line seeds with the same result and rejects migrations', async () => {
  expect(await knex('seed:run')).toMatchObject({ exitCode: 0 });
  const { exitCode, output } = await knex('migrate:latest');
  // Knex would use neither the lock nor the timeouts of npm run migrate.
  expect([exitCode, output]).toEqual([1, expect.stringContaining('Use npm run migrate')]);
});

test('the service and the migrate command reject a schema with an unknown migration', async () => {
  await database.admin.query(
    `INSERT INTO knex_migrations (name, batch, migration_time) VALUES ('20990101000000_later', 99, now())`,
  );
  try {
    const service = await runProcess(process.execPath, ['dist/src/server.js'], settings);
    expect([service.exitCode, service.output]).toEqual([1, expect.stringContaining('20990101000000_later')]);
    expect(service.output).toContain('npm run migrate:down');
    const up = await runMigrate(['up'], settings);
    expect([up.exitCode, up.output]).toEqual([
      1,
      'The database has migrations that this version does not know: 20990101000000_later. Use the version that includes them.\n',
    ]);
    const status = await runMigrate(['status'], settings);
    expect([status.exitCode, status.output]).toEqual([
      3,
      expect.stringContaining('unknown  20990101000000_later'),
    ]);
  } finally {
    await database.admin.query(`DELETE FROM knex_migrations WHERE name = '20990101000000_later'`);
  }
});

test('the compiled program and the sources report the same applied migrations', async () => {
  const compiled = (command: string) =>
    runProcess(
      process.execPath,
      ['dist/src/operator/cli/migrate.js', command, ...(command === 'status' ? ['--json'] : [])],
      settings,
    );
  expect(await compiled('up')).toEqual({ exitCode: 0, output: 'The schema is up to date.\n' });
  const { exitCode, output } = await compiled('status');
  expect([exitCode, JSON.parse(output)]).toEqual([
    0,
    { applied: knownMigrations(), missing: [], unknown: [], differing: [] },
  ]);
});

test('an operator adds a company and its bank, and both can use the API', async () => {
  const create = ['companies', 'create', 'Acme Apps'];
  expect(await runProcess('npm', ['run', '--silent', 'ops', '--', ...create], settings)).toMatchObject({
    exitCode: 0,
  });
  expect(await operator('companies', 'create', 'Acme Bank', '--json')).toMatchObject({ exitCode: 0 });
  expect(await operator('companies', 'link-bank', 'test', 'Acme Apps', 'Acme Bank', '--yes')).toMatchObject({
    exitCode: 0,
  });
  const issue = async (company: string, ...more: string[]) => {
    const { output } = await operator('keys', 'issue', 'test', company, '--json', ...more);
    return JSON.parse(output) as { api_key: string; api_secret: string; scopes: string[] };
  };
  const app = await issue('Acme Apps', '--scope', 'contributions:create', 'projects:read');
  const bank = await issue('Acme Bank', '--expires-in-days', '30');
  expect(app.scopes).toEqual(['contributions:create', 'projects:read']);

  const service = await RunningService.start(settings);
  const send = (pair: { api_key: string; api_secret: string }, address: string, body: object) =>
    checkedFetch(`${service.baseUrl}/company/integration/contributions/${address}`, {
      method: 'PUT',
      headers: {
        'API-Key': pair.api_key,
        'API-Secret': pair.api_secret,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify(body),
    });
  try {
    const created = await send(app, 'create', { project_id: 1, amount: 5, user_hash: 'u' });
    expect(created.status).toBe(201);
    const { transaction_id: transactionId } = (await created.json()) as { transaction_id: string };
    expect((await send(app, transactionId, { status: 'completed' })).status).toBe(403);
    expect((await send(bank, transactionId, { status: 'completed' })).status).toBe(200);

    expect(await operator('keys', 'revoke', bank.api_key, '--yes')).toMatchObject({ exitCode: 0 });
    expect((await send(bank, transactionId, { status: 'completed' })).status).toBe(401);
  } finally {
    expect(await service.signal('SIGTERM')).toBe(0);
  }
});

test.each([
  ['an existing name', ['companies', 'create', 'Acme Apps'], 'already'],
  ['an unknown company', ['keys', 'issue', 'test', 'Nobody'], 'no company named "Nobody"'],
  [
    'a company as its own bank',
    ['companies', 'link-bank', 'test', 'Acme Apps', 'Acme Apps'],
    'cannot be linked to itself',
  ],
  ['a missing link', ['companies', 'unlink-bank', 'production', 'Acme Apps', 'Acme Bank'], 'not linked'],
  [
    'an unknown key',
    ['keys', 'revoke', 'cpk_test_nothing', '--yes'],
    'There is no key pair with this API-Key',
  ],
])('an operator gets a message about %s', async (_what, command, reason) => {
  const { exitCode, output } = await operator(...command);
  expect(exitCode).toBe(1);
  expect(output).toContain(reason);
});

test.each([
  [
    'an unknown environment',
    ['keys', 'issue', 'staging', 'Acme Apps'],
    'Allowed choices are production, test',
  ],
  ['an unknown command', ['keys', 'invent'], 'unknown command'],
  ['an unknown option', ['keys', 'list', '--everything'], 'unknown option'],
  ['too long an overlap', ['keys', 'rotate', 'cpk_test_nothing', '--overlap-hours', '169'], 'from 1 to 168'],
])('a command with invalid syntax exits with 2: %s', async (_what, command, reason) => {
  const { exitCode, output } = await operator(...command);
  expect(exitCode).toBe(2);
  expect(output).toContain(reason);
});

test('an irreversible command is rejected without a terminal to confirm it, and a dry run changes nothing', async () => {
  const issued = await operator('keys', 'issue', 'test', 'Acme Apps', '--scope', 'projects:read', '--json');
  const { api_key: apiKey } = JSON.parse(issued.output) as { api_key: string };
  const refused = await operator('keys', 'revoke', apiKey);
  expect(refused.exitCode).toBe(5);
  expect(refused.output).toContain('Run the command with --yes');
  const dry = await operator('keys', 'revoke', apiKey, '--dry-run');
  expect(dry).toMatchObject({
    exitCode: 0,
    output: expect.stringContaining('Dry run: nothing changed.'),
  });
  const { output } = await operator('keys', 'list', 'Acme Apps', '--json');
  const { key_pairs: pairs } = JSON.parse(output) as { key_pairs: { api_key: string; state: string }[] };
  expect(pairs.find((pair) => pair.api_key === apiKey)?.state).toBe('live');
});

test('every action is recorded with its operator and without secrets; rejected and rolled-back actions are not', async () => {
  const before = await operator('actions', 'list', '--json');
  const act = { ...settings, OPERATOR: 'anna' };
  const issued = await runOps(['keys', 'issue', 'test', 'Acme Bank', '--json'], act);
  const { api_key: apiKey, api_secret: apiSecret } = JSON.parse(issued.output) as Record<string, string>;
  await runOps(['keys', 'rotate', apiKey!, '--dry-run'], act);
  await runOps(['companies', 'create', 'Acme Apps'], act);
  const after = await operator('actions', 'list', '--json');
  const count = (output: string) => (JSON.parse(output) as { actions: unknown[] }).actions.length;
  expect(count(after.output)).toBe(count(before.output) + 1);
  expect((JSON.parse(after.output) as { actions: unknown[] }).actions[0]).toMatchObject({
    database_role: operatorLogin,
    claimed_operator: 'anna',
    command: 'keys issue',
    target: 'Acme Bank test',
    result: { api_key: apiKey },
  });
  expect(after.output).not.toContain(apiSecret);
  expect(after.output).not.toContain('cps_');
});

test('a rate change is recorded with its operator, and a command without a rate is rejected', async () => {
  const set = ['companies', 'set-rate-limits', 'test', 'Acme Apps'];
  expect(await operator(...set)).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining('Specify --requests-per-second'),
  });
  expect(await operator(...set, '--requests-per-second', '70')).toMatchObject({ exitCode: 0 });
  const { output } = await operator('actions', 'list', '--command', 'companies set-rate-limits', '--json');
  expect((JSON.parse(output) as { actions: unknown[] }).actions).toEqual([
    expect.objectContaining({
      target: 'Acme Apps test',
      result: { requests_per_second: 70, completions_per_second: null },
    }),
  ]);
});

test('a new pepper has the next version, and no action is recorded', async () => {
  const { exitCode, output } = await operator('peppers', 'draw', '--json');
  expect(exitCode).toBe(0);
  const { version, pepper } = JSON.parse(output) as { version: number; pepper: string };
  expect(version).toBe(2);
  expect(() => readSettings({ CREDENTIAL_PEPPERS: `1:${'x'.repeat(40)},${pepper}` })).not.toThrow();
  const recorded = await operator('actions', 'list', '--command', 'peppers', '--json');
  expect(JSON.parse(recorded.output)).toEqual({ actions: [], has_more: false });
});

test('the doctor reports every invalid setting as a finding and exits with 2', async () => {
  const wrong = { ...settings, PORT: 'many', NODE_ENV: 'production' };
  const { exitCode, output } = await runOps(['doctor', '--json'], wrong);
  expect(exitCode).toBe(2);
  expect(JSON.parse(output)).toEqual({
    healthy: false,
    findings: [
      expect.objectContaining({ status: 'problem', detail: expect.stringContaining('PORT') }),
      expect.objectContaining({ status: 'problem', detail: expect.stringContaining('PUBLIC_BASE_URL') }),
    ],
  });
});

test('an operator finds a contribution with its events and the overdue ones, and the doctor finds no problem', async () => {
  const listed = await operator('contributions', 'list', 'Acme Apps', '--json');
  const { contributions: transactions } = JSON.parse(listed.output) as {
    contributions: { transaction_id: string }[];
  };
  const id = transactions[0]!.transaction_id;
  const history = await operator('contributions', 'history', id.toLowerCase(), '--json');
  expect(
    (JSON.parse(history.output) as { events: { type: string }[] }).events.map(({ type }) => type),
  ).toEqual(['contribution.created', 'contribution.completed']);
  expect(await operator('contributions', 'overdue', '--hours', '0')).toMatchObject({ exitCode: 3 });
  expect(await operator('contributions', 'mismatches')).toMatchObject({ exitCode: 0 });
  expect(await operator('contributions', 'resolve', id, '--reason', 'nothing was wrong')).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining('has no amount mismatch'),
  });
  expect(await operator('contributions', 'resolve', id)).toMatchObject({ exitCode: 2 });
  expect(await operator('contributions', 'contested', '--json')).toMatchObject({
    exitCode: 0,
    output: expect.stringContaining('"contested":[]'),
  });
  expect(await operator('contributions', 'resolve-contested', id, '--reason', 'nothing')).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining('has no contested completion'),
  });
  expect(await operator('contributions', 'show', 'nothing')).toMatchObject({ exitCode: 2 });
  expect(await operator('doctor')).toMatchObject({ exitCode: 0 });
  const unreachable = { ...settings, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' };
  expect(await runOps(['doctor'], unreachable)).toMatchObject({
    exitCode: 3,
    output: expect.stringContaining('check DATABASE_URL'),
  });
});

test('--help describes the commands at every level', async () => {
  for (const [command, said] of [
    [['--help'], 'Exit codes:'],
    [['keys', '--help'], 'rotate'],
    [['keys', 'rotate', '--help'], '--overlap-hours'],
    [['keys', 'rotate', '--help'], 'Exit codes:'],
  ] as const) {
    expect(await operator(...command)).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining(said),
    });
  }
});

test('the demo on an external server writes its demo.json too', () => {
  const demo = JSON.parse(readFileSync(path.join(folder.path, 'demo.json'), 'utf8')) as Demo;
  expect(demo.companies).toHaveLength(3);
});
