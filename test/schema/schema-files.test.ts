import type { Knex } from 'knex';

import { appliedFiles, functionOf, privilegesPath, schemaFile } from '../../src/db/migrations/schema-files';
import type { SchemaFile } from '../../src/db/migrations/schema-files';
import { MigrationError } from '../../src/db/migrations/migration-error';
import { migrateDown, migrateUp } from '../../src/db/migrations/migrator';
import { readDueFiles, readSchemaState, schemaProblems } from '../../src/db/migrations/schema-state';
import { createReadOnlyDatabase } from '../../src/db/operator-database';
import type { Database } from '../../src/db/pool/database';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { longTest, sample } from '../support/full-run';
import { runMigrate } from '../support/operator-commands';
import { until } from '../support/until';

/** How functions and privileges get from the files of `database/` into the database. */
let database: TestDatabase;
let reader: Database;
let lines: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  reader = createReadOnlyDatabase(database.ownerUrl);
});
afterAll(async () => {
  await reader.close();
  await database.drop();
});
beforeEach(() => {
  lines = [];
});

const query = async (sql: string) => (await database.admin.query<Record<string, unknown>>(sql)).rows;
const applied = () =>
  query('SELECT file, count(*)::integer AS times FROM schema_functions GROUP BY file ORDER BY file');

const guard = 'functions/audit/guard_operator_actions.sql';
const horizon = 'functions/contributions/visibility_horizon_of.sql';

/** The files of another release: some have another text. */
const release = (changes: Record<string, (text: string) => string>): SchemaFile[] =>
  appliedFiles().map(({ path, text }) => schemaFile(path, changes[path]?.(text) ?? text));

const otherTrigger = (text: string) => text.replace('DELETE OR UPDATE', 'UPDATE OR DELETE');

const withComment = (comment: string) => (text: string) =>
  text.replace('BEGIN\n', `BEGIN\n  -- ${comment}\n`);

const migrate = (files: readonly SchemaFile[], more: Partial<Parameters<typeof migrateUp>[0]> = {}) =>
  migrateUp({
    connectionString: database.ownerUrl,
    files,
    onProgress: (line) => void lines.push(line),
    ...more,
  });

/** What `npm run migrate` would apply, as `npm run migrate:status` and `doctor` report it. */
const due = async (files = appliedFiles()) =>
  (await readDueFiles(reader, files)).map(({ file, reason }) => `${file.path}: ${reason}`);

const bodyOf = async (name: string) => {
  const [row] = await query(`SELECT prosrc FROM pg_proc WHERE proname = '${name}'`);
  return String(row?.['prosrc']);
};

/** A migration that a next release has. */
const pending = (name: string, up: string) => ({
  tableName: `migrations_of_${name}`,
  migrationSource: {
    getMigrations: () => Promise.resolve([name]),
    getMigrationName: (entry: string) => entry,
    getMigration: () =>
      Promise.resolve<Knex.Migration>({ up: (knex) => knex.raw(up), down: () => Promise.resolve() }),
  },
});

test('every function of the schema comes from the file of its name, and nothing is due', async () => {
  const names = await query(
    `SELECT proname AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace`,
  );
  const files = appliedFiles().filter(({ path }) => path !== privilegesPath);
  expect(names.map(({ name }) => name).sort()).toEqual(files.map(functionOf).sort());
  expect(await due()).toEqual([]);
});

test('a file is applied when its text changes, once, and no other file is', async () => {
  const next = release({ [horizon]: withComment('of the next release') });
  expect(await due(next)).toEqual([`${horizon}: its text changed`]);
  expect(await migrate(next)).toEqual({ migrations: [], files: [horizon] });
  expect(lines).toEqual([`database/${horizon}: applied (its text changed)`]);
  expect(await bodyOf('visibility_horizon_of')).toContain('-- of the next release');
  expect(await migrate(next)).toEqual({ migrations: [], files: [] });
  expect((await applied()).filter(({ times }) => times !== 1)).toEqual([{ file: horizon, times: 2 }]);
});

test('both neighbors of an upgrade stay ready, a forgotten migrate does not, and a rollback applies the former text', async () => {
  const next = release({ [horizon]: withComment('of a later release') });
  expect((await readSchemaState(reader, next)).unapplied).toEqual([horizon]);
  await migrate(next);
  expect((await readSchemaState(reader, next)).unapplied).toEqual([]);
  expect((await readSchemaState(reader)).unapplied).toEqual([]);
  expect(await due()).toEqual([`${horizon}: another version has replaced its text`]);

  expect(await migrate(appliedFiles())).toEqual({ migrations: [], files: [horizon] });
  expect(await bodyOf('visibility_horizon_of')).not.toContain('release');
  expect((await readSchemaState(reader, next)).unapplied).toEqual([]);
});

test.each(
  sample(
    [
      [
        'a function',
        `CREATE OR REPLACE FUNCTION guard_operator_actions() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`,
        [`${guard}: changed in the database: function guard_operator_actions`],
      ],
      [
        'a setting of a function',
        'ALTER FUNCTION guard_operator_actions() SET work_mem = 64',
        [`${guard}: changed in the database: function guard_operator_actions`],
      ],
      [
        'the cost of a function',
        'ALTER FUNCTION guard_operator_actions() COST 1000000',
        [`${guard}: changed in the database: function guard_operator_actions`],
      ],
      [
        'a disabled trigger',
        'ALTER TABLE operator_actions DISABLE TRIGGER operator_actions_guard',
        [`${guard}: changed in the database: trigger operator_actions_guard of operator_actions`],
      ],
      [
        'a dropped trigger',
        'DROP TRIGGER operator_actions_guard ON operator_actions',
        [`${guard}: changed in the database: trigger operator_actions_guard of operator_actions`],
      ],
      [
        'a privilege of a role',
        'GRANT DELETE ON transactions TO contribution_service',
        [`${privilegesPath}: changed in the database: privileges of transactions`],
      ],
      [
        'a privilege of PUBLIC',
        'GRANT SELECT (user_hash) ON users TO PUBLIC',
        [`${privilegesPath}: changed in the database: privileges of users`],
      ],
    ],
    1,
  ),
)('%s that was changed by hand is named, and the next run restores it', async (_what, change, named) => {
  const [before] = await query(
    `SELECT (SELECT prosrc FROM pg_proc WHERE proname = 'guard_operator_actions') AS body,
            (SELECT proconfig FROM pg_proc WHERE proname = 'guard_operator_actions') AS settings,
            (SELECT array_agg(tgenabled::text) FROM pg_trigger WHERE tgname = 'operator_actions_guard') AS guard,
            has_table_privilege('contribution_service', 'transactions', 'DELETE') AS may_delete,
            has_column_privilege('public', 'users', 'user_hash', 'SELECT') AS is_public`,
  );
  await query(change);
  expect(await due()).toEqual(named);
  await migrate(appliedFiles());
  expect(await due()).toEqual([]);
  const [after] = await query(
    `SELECT (SELECT prosrc FROM pg_proc WHERE proname = 'guard_operator_actions') AS body,
            (SELECT proconfig FROM pg_proc WHERE proname = 'guard_operator_actions') AS settings,
            (SELECT array_agg(tgenabled::text) FROM pg_trigger WHERE tgname = 'operator_actions_guard') AS guard,
            has_table_privilege('contribution_service', 'transactions', 'DELETE') AS may_delete,
            has_column_privilege('public', 'users', 'user_hash', 'SELECT') AS is_public`,
  );
  expect(after).toEqual(before);
});

test('a trigger that somebody added is named, and the next run drops it', async () => {
  await query(
    `CREATE TRIGGER by_hand BEFORE DELETE ON projects FOR EACH ROW EXECUTE FUNCTION guard_operator_actions()`,
  );
  expect(await due()).toEqual([`${guard}: changed in the database: trigger by_hand of projects`]);
  await migrate(appliedFiles());
  expect(await due()).toEqual([]);
  expect(await query(`SELECT FROM pg_trigger WHERE tgname = 'by_hand'`)).toEqual([]);
});

longTest(
  'a trigger that somebody added under a name of the file, but on another table, is dropped',
  async () => {
    await query(
      `CREATE TRIGGER operator_actions_guard BEFORE DELETE ON projects FOR EACH ROW EXECUTE FUNCTION guard_operator_actions()`,
    );
    expect(await due()).toEqual([
      `${guard}: changed in the database: trigger operator_actions_guard of projects`,
    ]);
    await migrate(appliedFiles());
    expect(await due()).toEqual([]);
    expect(
      await query(
        `SELECT tgrelid::regclass::text AS "on" FROM pg_trigger WHERE tgname = 'operator_actions_guard'`,
      ),
    ).toEqual([{ on: 'operator_actions' }]);
  },
);

longTest('a change by hand is named even if the release changes the same file', async () => {
  await query('ALTER TABLE operator_actions DISABLE TRIGGER operator_actions_guard');
  const next = release({ [guard]: withComment('of another release') });
  expect(await due(next)).toEqual([
    `${guard}: its text changed; changed in the database: trigger operator_actions_guard of operator_actions`,
  ]);
  const problems = async (files: readonly SchemaFile[]) =>
    schemaProblems(await readSchemaState(reader, files), await readDueFiles(reader, files));
  const never = expect.stringContaining('1 file of this version was never applied to the database') as string;
  expect(await problems(next)).toEqual([expect.stringContaining('save them first'), never]);
  await migrate(appliedFiles());
  expect(await problems(next)).toEqual([never]);
  expect(await problems(appliedFiles())).toEqual([]);
});

longTest('a file that moves to another folder is not new, and a change by hand is named', async () => {
  const moved = (text: string) =>
    appliedFiles().map((file) =>
      file.path === guard ? schemaFile('functions/operators/guard_operator_actions.sql', text) : file,
    );
  const { text } = appliedFiles().find(({ path }) => path === guard)!;
  expect(await due(moved(text))).toEqual([]);
  expect((await readSchemaState(reader, moved(text))).unapplied).toEqual([]);
  await query('ALTER TABLE operator_actions DISABLE TRIGGER operator_actions_guard');
  const next = moved(withComment('in another folder')(text));
  expect(await due(next)).toEqual([
    'functions/operators/guard_operator_actions.sql: its text changed; changed in the database: trigger operator_actions_guard of operator_actions',
  ]);
  await migrate(next);
  expect(await due()).toEqual([`${guard}: another version has replaced its text`]);
  expect((await readSchemaState(reader)).unapplied).toEqual([]);
  await migrate(appliedFiles());
  expect(await due()).toEqual([]);
});

test('a second function of the same name stops the run, which says what to do', async () => {
  await query(
    `CREATE FUNCTION visibility_horizon_of(text) RETURNS void LANGUAGE sql AS ''; ALTER FUNCTION visibility_horizon_of(text) OWNER TO contribution_owner`,
  );
  expect(await due()).toEqual([
    `${horizon}: changed in the database: function visibility_horizon_of`,
    expect.stringContaining('privileges of visibility_horizon_of()'),
  ]);
  await expect(migrate(appliedFiles())).rejects.toThrow(
    `The database would have 2 functions named visibility_horizon_of: visibility_horizon_of(integer) and visibility_horizon_of(text). Drop the one that database/${horizon} does not define`,
  );
  await query('DROP FUNCTION visibility_horizon_of(text)');
  expect(await due()).toEqual([]);
});

longTest(
  'a function whose result was changed by hand stops the run with the advice of PostgreSQL',
  async () => {
    const run = migrate(release({ [horizon]: (text) => text.replace('timestamptz', 'timestamp') }));
    await expect(run).rejects.toThrow(
      /visibility_horizon_of\.sql, line 1: cannot change return type of existing function. Use DROP FUNCTION/,
    );
  },
);

test('a function that was dropped comes back, and PUBLIC may not execute it', async () => {
  await query('DROP FUNCTION visibility_horizon_of(integer)');
  await migrate(appliedFiles());
  expect(
    await query(
      `SELECT has_function_privilege('public', 'visibility_horizon_of(integer)', 'EXECUTE') AS public,
              has_function_privilege('contribution_service', 'visibility_horizon_of(integer)', 'EXECUTE') AS service`,
    ),
  ).toEqual([{ public: false, service: true }]);
  expect(await due()).toEqual([]);
});

longTest('settings of a database that change how PostgreSQL writes names are no difference', async () => {
  await query(
    `DO $$ BEGIN
       EXECUTE format('ALTER DATABASE %I SET quote_all_identifiers = on', current_database());
       EXECUTE format('ALTER DATABASE %I SET datestyle = ''German, DMY''', current_database());
     END $$`,
  );
  const other = createReadOnlyDatabase(database.ownerUrl);
  try {
    expect(await readDueFiles(other)).toEqual([]);
    expect(await migrate(appliedFiles())).toEqual({ migrations: [], files: [] });
  } finally {
    await other.close();
    await query(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET ALL', current_database()); END $$`);
  }
});

describe('a file with an error stops the run', () => {
  const before = () => query('SELECT proname, prosrc, proacl::text FROM pg_proc ORDER BY oid');
  const misspelled = (text: string) => text.replace('BEGIN\n', 'BEGIN\n  SELEC 1;\n');
  /** The line of the text after `misspelled`. */
  const lineOf = (path: string) =>
    appliedFiles()
      .find((file) => file.path === path)!
      .text.split('\n')
      .indexOf('BEGIN') + 2;

  test('a syntax error before anything changes, with the file and the line', async () => {
    const functions = await before();
    const run = migrate(release({ [guard]: withComment('also changed'), [horizon]: misspelled }), {
      migrations: pending('after_syntax', 'CREATE TABLE after_syntax (id integer)'),
    });
    await expect(run).rejects.toThrow(MigrationError);
    await expect(run).rejects.toThrow(
      `database/${horizon}, line ${lineOf(horizon)}: syntax error at or near "SELEC"`,
    );
    expect(await query(`SELECT to_regclass('after_syntax') AS created`)).toEqual([{ created: null }]);
    expect(await before()).toEqual(functions);
  });

  test.each(
    sample(
      [
        [
          'in a header',
          (text: string) => text.replace('RETURNS', 'RETURN'),
          1,
          'syntax error at or near "LANGUAGE"',
        ],
        [
          'at the end of a body',
          (text: string) => text.replace(/END \$\$/, '$$$$'),
          undefined,
          'syntax error',
        ],
        [
          'without a closing quote',
          (text: string) => text.replace(/\$\$;/, ';'),
          undefined,
          'unterminated dollar-quoted',
        ],
      ],
      1,
    ),
  )('a syntax error %s', async (_where, change, line, reason) => {
    const run = migrate(release({ [guard]: change }));
    await expect(run).rejects.toThrow(MigrationError);
    await expect(run).rejects.toThrow(new RegExp(`^database/${guard}, line ${line ?? '\\d+'}: .*${reason}`));
  });

  longTest('a body that does not compile leaves all functions, and the message says which line', async () => {
    const functions = await before();
    const run = migrate(
      release({
        [guard]: withComment('also changed'),
        [horizon]: (text) => text.replace('BEGIN\n', 'DECLARE\n  _x no_such_type;\nBEGIN\n'),
      }),
    );
    await expect(run).rejects.toThrow(
      /visibility_horizon_of\.sql, line \d+: type "no_such_type" does not exist/,
    );
    expect(await before()).toEqual(functions);
    expect(await due()).toEqual([]);
  });

  test.each(
    sample(
      [
        ['with a migration', pending('beside_grants', 'CREATE TABLE beside_grants (id integer)')],
        ['without a migration', undefined],
      ],
      1,
    ),
  )('a syntax error in the privileges, %s, with its line', async (_when, migrations) => {
    const wrong = '-- Why\nGRANT SELECT ON companies\n  TOO contribution_service;\n';
    const run = migrate(release({ [privilegesPath]: (text) => text + wrong }), migrations && { migrations });
    const line = appliedFiles().at(-1)!.text.split('\n').length + 2;
    await expect(run).rejects.toThrow(`database/privileges.sql, line ${line}: syntax error at or near "TOO"`);
  });

  longTest('a privilege on a table that does not exist', async () => {
    const run = migrate(
      release({ [privilegesPath]: (text) => `${text}GRANT SELECT ON nowhere TO contribution_service;\n` }),
    );
    const last = appliedFiles().at(-1)!.text.split('\n').length;
    await expect(run).rejects.toThrow(
      `database/privileges.sql, line ${last}: relation "nowhere" does not exist`,
    );
    expect(await due()).toEqual([]);
  });
});

longTest('a run that dies between two functions changes nothing, and the next run applies both', async () => {
  const next = release({ [guard]: withComment('first of two'), [horizon]: withComment('second of two') });
  const slow = next.map((file) =>
    file.path === horizon ? schemaFile(file.path, `SELECT pg_sleep(60);\n${file.text}`) : file,
  );
  const run = migrate(slow);
  const sleeping = `SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep(60)%'`;
  await until('the run has applied the first function', async () => (await query(sleeping)).length > 0);
  await query(`SELECT pg_terminate_backend(pid) FROM (${sleeping}) AS run`);
  await expect(run).rejects.toThrow();
  expect(await bodyOf('guard_operator_actions')).not.toContain('first of two');
  expect(await due()).toEqual([]);

  expect(await migrate(next)).toEqual({ migrations: [], files: [guard, horizon] });
  expect(await bodyOf('guard_operator_actions')).toContain('first of two');
  await migrate(appliedFiles());
});

longTest('of two runs at once, one applies the files, and the other finds nothing to do', async () => {
  const next = release({ [horizon]: withComment('of two runs') });
  const runs = await Promise.all([migrate(next), migrate(next)]);
  expect(runs.map(({ files }) => files).sort()).toEqual([[], [horizon]]);
  await migrate(appliedFiles());
});

longTest(
  'a trigger that waits for a lock is retried, and writers wait only for the lock timeout',
  async () => {
    const writer = await database.admin.connect();
    try {
      await writer.query('BEGIN; LOCK TABLE operator_actions IN ROW EXCLUSIVE MODE');
      const run = migrate(release({ [guard]: otherTrigger }), { lockTimeoutMs: 20 });
      await until('an attempt has failed', () => lines.some((line) => line.includes('did not get a lock')));
      await writer.query('COMMIT');
      expect((await run).files).toEqual([guard]);
      expect(lines[0]).toMatch(/^functions and privileges: did not get a lock, attempt 1 of 60; /);
    } finally {
      writer.release();
      await migrate(appliedFiles());
    }
  },
);

longTest(
  'an unchanged trigger needs no lock, nor does the check of the syntax, so autovacuum stops neither',
  async () => {
    const writer = await database.admin.connect();
    try {
      await writer.query('BEGIN; LOCK TABLE operator_actions IN SHARE UPDATE EXCLUSIVE MODE');
      const next = release({ [guard]: withComment('beside autovacuum') });
      const more = {
        attempts: 1,
        migrations: pending('beside_vacuum', 'CREATE TABLE beside_vacuum (id integer)'),
      };
      expect(await migrate(next, more)).toEqual({ migrations: ['beside_vacuum'], files: [guard] });
    } finally {
      await writer.query('ROLLBACK');
      writer.release();
      await migrate(appliedFiles());
    }
  },
);

longTest('a change by hand during a run stays a difference', async () => {
  const writer = await database.admin.connect();
  const before = await bodyOf('append_to_feed');
  try {
    await writer.query('BEGIN; LOCK TABLE operator_actions IN ROW EXCLUSIVE MODE');
    const run = migrate(release({ [guard]: otherTrigger }), { lockTimeoutMs: 1_000 });
    await until('the run waits', async () => {
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return (await query(waiting)).length > 0;
    });
    await query(
      `CREATE OR REPLACE FUNCTION append_to_feed(_environment_id integer, _rows jsonb) RETURNS void
       LANGUAGE plpgsql SET search_path = public, pg_temp AS 'BEGIN END'`,
    );
    await writer.query('COMMIT');
    await run;
  } finally {
    writer.release();
  }
  expect(await due()).toContain(
    'functions/events/append_to_feed.sql: changed in the database: function append_to_feed',
  );
  await migrate(appliedFiles());
  expect(await bodyOf('append_to_feed')).toBe(before);
  expect(await due()).toEqual([]);
});

test.each(
  sample(
    [
      [
        'disables',
        'ALTER TABLE operator_actions DISABLE TRIGGER operator_actions_guard',
        'operator_actions_guard of operator_actions',
      ],
      [
        'adds',
        'CREATE TRIGGER by_hand BEFORE DELETE ON projects FOR EACH ROW EXECUTE FUNCTION guard_operator_actions()',
        'by_hand of projects',
      ],
    ],
    1,
  ),
)('a trigger that somebody %s while a run waits stays a difference', async (_what, change, trigger) => {
  const transactions = 'functions/contributions/guard_transactions.sql';
  const next = release({ [guard]: withComment('before the wait'), [transactions]: otherTrigger });
  const writer = await database.admin.connect();
  try {
    await writer.query('BEGIN; LOCK TABLE transactions IN ROW EXCLUSIVE MODE');
    const run = migrate(next, { lockTimeoutMs: 10_000 });
    await until('the run waits', async () => {
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return (await query(waiting)).length > 0;
    });
    await query(change);
    await writer.query('COMMIT');
    expect((await run).files).toEqual([guard, transactions]);
  } finally {
    writer.release();
  }
  expect(await due(next)).toEqual([`${guard}: changed in the database: trigger ${trigger}`]);
  await migrate(appliedFiles());
  expect(await due()).toEqual([]);
});

longTest('the text of a function reaches the database byte for byte', async () => {
  const odd = String.raw`  -- \? \\? ? ?? :name ::type $1 'E\'' /* ; */ $ü$`;
  await migrate(release({ [horizon]: (text) => text.replace('BEGIN\n', () => `BEGIN\n${odd}\n`) }));
  expect(await bodyOf('visibility_horizon_of')).toContain(`BEGIN\n${odd}\n`);
  await migrate(appliedFiles());
});

longTest('another search_path, or unchecked bodies, do not change what a run does', async () => {
  await query(
    `CREATE SCHEMA contribution_owner AUTHORIZATION contribution_owner;
     DO $$ BEGIN
       EXECUTE format('ALTER DATABASE %I SET search_path = contribution_owner, public', current_database());
       EXECUTE format('ALTER DATABASE %I SET check_function_bodies = off', current_database());
     END $$`,
  );
  const other = createReadOnlyDatabase(database.ownerUrl);
  try {
    const wrong = release({ [horizon]: (text) => text.replace('BEGIN\n', 'BEGIN\n  SELEC 1;\n') });
    await expect(migrate(wrong)).rejects.toThrow('syntax error');
    const next = release({ [horizon]: withComment('in public') });
    expect((await migrate(next)).files).toEqual([horizon]);
    expect(await bodyOf('visibility_horizon_of')).toContain('in public');
    expect(await readDueFiles(other, next)).toEqual([]);
    expect((await readSchemaState(other, next)).missing).toEqual([]);
  } finally {
    await other.close();
    await query(
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET ALL', current_database()); END $$; DROP SCHEMA contribution_owner`,
    );
    await migrate(appliedFiles());
  }
});

test.each(
  sample(
    [
      ['USAGE of the schema', 'REVOKE USAGE ON SCHEMA public FROM contribution_service', 'schema public'],
      ['CREATE in the schema', 'GRANT CREATE ON SCHEMA public TO contribution_service', 'schema public'],
    ],
    1,
  ),
)('%s is restored', async (_what, change, object) => {
  await query(change);
  expect(await due()).toEqual([`${privilegesPath}: changed in the database: privileges of ${object}`]);
  await migrate(appliedFiles());
  expect(await due()).toEqual([]);
  expect(
    await query(
      `SELECT has_schema_privilege('contribution_service', 'public', 'USAGE') AS usage,
              has_schema_privilege('contribution_service', 'public', 'CREATE') AS create`,
    ),
  ).toEqual([{ usage: true, create: false }]);
});

test.each(
  sample(
    [
      [
        'a second signature',
        {
          [horizon]: (text: string) =>
            text.replace('_environment_id integer', '_environment_id integer, _note text'),
        },
        /would have 2 functions named visibility_horizon_of: .*give a changed one a new name/,
      ],
      [
        'no privileges',
        {
          [privilegesPath]: (text: string) =>
            text
              .replace(
                'REVOKE ALL ON FUNCTION',
                'GRANT EXECUTE ON FUNCTION bank_sees TO PUBLIC;\nREVOKE ALL ON FUNCTION',
              )
              .replace('bank_sees, is_purgeable', 'is_purgeable'),
        },
        /PUBLIC may execute bank_sees/,
      ],
    ],
    1,
  ),
)('a function with %s stops the run, and nothing changes', async (_what, changes, message) => {
  const before = await query('SELECT proname, prosrc, proacl::text FROM pg_proc ORDER BY oid');
  const run = migrate(release(changes));
  await expect(run).rejects.toThrow(message);
  expect(await query('SELECT proname, prosrc, proacl::text FROM pg_proc ORDER BY oid')).toEqual(before);
});

longTest('a table or a function of another owner stops the run, and status names it', async () => {
  await query('ALTER TABLE transactions OWNER TO postgres; GRANT SELECT ON transactions TO PUBLIC');
  expect(await due()).toEqual([`${privilegesPath}: changed in the database: privileges of transactions`]);
  await expect(migrate(appliedFiles())).rejects.toThrow(
    'postgres owns TABLE transactions, so its privileges cannot be set. As a superuser, run ALTER TABLE transactions OWNER TO',
  );
  await query('ALTER TABLE transactions OWNER TO contribution_owner');
  await query('ALTER FUNCTION create_contribution OWNER TO contribution_service');
  expect(await due()).toContain(
    'functions/contributions/create_contribution.sql: changed in the database: function create_contribution',
  );
  await query('ALTER FUNCTION create_contribution OWNER TO contribution_owner');
  await migrate(appliedFiles());
  expect(await due()).toEqual([]);
  expect(await query(`SELECT has_table_privilege('public', 'transactions', 'SELECT') AS is_public`)).toEqual([
    { is_public: false },
  ]);
});

longTest(
  'a second function of another owner stops the run with a statement that names its arguments',
  async () => {
    await query(`CREATE FUNCTION visibility_horizon_of(text) RETURNS void LANGUAGE sql AS ''`);
    await expect(migrate(appliedFiles())).rejects.toThrow(
      'As a superuser, run ALTER FUNCTION visibility_horizon_of(text) OWNER TO',
    );
    await query('DROP FUNCTION visibility_horizon_of(text)');
  },
);

test.each(
  sample(
    [
      [
        'a role with a grant option gave',
        `GRANT DELETE ON transactions TO pg_monitor WITH GRANT OPTION; GRANT USAGE ON SCHEMA public TO pg_monitor;
     SET ROLE pg_monitor; GRANT DELETE ON transactions TO contribution_service; RESET ROLE`,
        'REVOKE GRANT OPTION FOR ALL ON transactions FROM pg_monitor CASCADE',
        'pg_monitor granted DELETE on transactions to contribution_service',
      ],
      [
        'a role with a grant option gave on a column',
        `GRANT UPDATE (amount_cents) ON transactions TO pg_monitor WITH GRANT OPTION;
     SET ROLE pg_monitor; GRANT UPDATE (amount_cents) ON transactions TO PUBLIC; RESET ROLE`,
        'REVOKE GRANT OPTION FOR ALL ON transactions FROM pg_monitor CASCADE',
        'pg_monitor granted UPDATE on transactions to PUBLIC',
      ],
      [
        'a role with a grant option gave on a function',
        `GRANT EXECUTE ON FUNCTION relay_events TO pg_monitor WITH GRANT OPTION;
     SET ROLE pg_monitor; GRANT EXECUTE ON FUNCTION relay_events TO contribution_operator; RESET ROLE`,
        'REVOKE GRANT OPTION FOR ALL ON FUNCTION relay_events(integer,integer) FROM pg_monitor CASCADE',
        'pg_monitor granted EXECUTE on FUNCTION relay_events(integer,integer) to contribution_operator',
      ],
      [
        'the owner of the schema, another role, gave',
        `ALTER SCHEMA public OWNER TO postgres; GRANT CREATE ON SCHEMA public TO PUBLIC`,
        'REVOKE CREATE ON SCHEMA public FROM PUBLIC',
        'postgres granted CREATE on SCHEMA public to PUBLIC',
      ],
    ],
    1,
  ),
)('a privilege that %s stops the run, and its advice helps', async (_who, grants, remedy, said) => {
  try {
    await query(grants);
    const differences = await due();
    expect(differences).toEqual([expect.stringContaining(`${privilegesPath}: changed in the database`)]);
    const run = migrate(appliedFiles());
    await expect(run).rejects.toThrow(said);
    await expect(run).rejects.toThrow(`As a superuser, run ${remedy}. Then run it again.`);
    expect(await due()).toEqual(differences);
    await query(remedy);
    await migrate(appliedFiles());
    expect(await due()).toEqual([]);
  } finally {
    await query(
      `REVOKE ALL ON transactions FROM pg_monitor CASCADE; REVOKE ALL ON FUNCTION relay_events FROM pg_monitor CASCADE;
       REVOKE ALL ON SCHEMA public FROM pg_monitor CASCADE; ALTER SCHEMA public OWNER TO pg_database_owner`,
    );
    await migrate(appliedFiles());
  }
});

longTest('a privilege on a function of a trigger, which nobody can call, is no difference', async () => {
  await query('GRANT EXECUTE ON FUNCTION guard_events TO contribution_service');
  expect(await due()).toEqual([]);
  await query('REVOKE EXECUTE ON FUNCTION guard_events FROM contribution_service');
});

longTest(
  'triggers of other tables, and a table of another owner in public, are none of its business',
  async () => {
    await query(
      `CREATE SCHEMA archive; CREATE TABLE archive.events (id integer); CREATE TABLE public.report (id integer);
     GRANT SELECT ON public.report TO PUBLIC;
     CREATE TRIGGER keep BEFORE DELETE ON archive.events FOR EACH ROW EXECUTE FUNCTION public.guard_events();
     CREATE TRIGGER keep BEFORE DELETE ON public.report FOR EACH ROW EXECUTE FUNCTION public.guard_events()`,
    );
    expect(await due()).toEqual([]);
    const events = 'functions/events/guard_events.sql';
    expect((await migrate(release({ [events]: withComment('beside a report') }))).files).toEqual([events]);
    expect(await query(`SELECT count(*)::integer AS triggers FROM pg_trigger WHERE tgname = 'keep'`)).toEqual(
      [{ triggers: 2 }],
    );
    await migrate(appliedFiles());
    await query('DROP SCHEMA archive CASCADE; DROP TABLE public.report');
  },
);

longTest(
  'a database with the schema of a version before the first release is rejected and stays as it is',
  async () => {
    const old = await createTestDatabase('template1');
    const asOwner = { connectionString: old.ownerUrl };
    const rows = async () =>
      (await old.admin.query(`SELECT relname, relacl::text FROM pg_class WHERE relkind = 'r' ORDER BY oid`))
        .rows as unknown;
    try {
      await old.admin.query(
        `CREATE TABLE knex_migrations (id serial, name text, batch integer, migration_time timestamptz);
       CREATE TABLE knex_migrations_lock (index serial PRIMARY KEY, is_locked integer);
       INSERT INTO knex_migrations (name) VALUES ('20261121000100_catalogue');
       CREATE TABLE projects (project_id integer);
       ALTER TABLE knex_migrations OWNER TO contribution_owner;
       ALTER TABLE knex_migrations_lock OWNER TO contribution_owner`,
      );
      const before = await rows();
      const unknown = 'migrations that this version does not know: 20261121000100_catalogue.';
      await expect(migrateUp(asOwner)).rejects.toThrow(unknown);
      await expect(migrateDown(asOwner, 'everything')).rejects.toThrow(unknown);
      const { exitCode, output } = await runMigrate(['status'], { DATABASE_URL: old.ownerUrl });
      expect([exitCode, output]).toEqual([3, expect.stringContaining('unknown  20261121000100_catalogue\n')]);
      expect(await rows()).toEqual(before);
    } finally {
      await old.drop();
    }
  },
);
