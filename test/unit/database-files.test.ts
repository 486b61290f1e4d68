/**
 * Its own modules: the parser of PostgreSQL keeps 130 MB.
 *
 * @jest-environment node
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { loadModule, parsePlPgSQLSync, parseSync } from 'libpg-query';

import { signaturesOf } from '../../scripts/openapi/function-signatures';
import { splitSql } from '../../src/db/migrations/split-sql';
import { tableKinds } from '../../src/db/citus/table-kinds';
import {
  appliedFiles,
  functionOf,
  privilegesPath,
  schemaFile,
  tableFiles,
} from '../../src/db/migrations/schema-files';
import { root } from '../support/program';

/** The files of `database/`, read with PostgreSQL's own parser. */
beforeAll(() => loadModule());

const functions = appliedFiles().filter(({ path }) => path !== privilegesPath);
const privileges = appliedFiles().at(-1)!;

/** The kinds of the queries of a text, such as `CreateStmt`. */
const kindsIn = (text: string): string[] =>
  (parseSync(text) as { stmts: { stmt: object }[] }).stmts.map(({ stmt }) => Object.keys(stmt)[0] ?? '');

test.each([...tableFiles(), ...appliedFiles()].map(({ path, text }) => [path, text] as const))(
  '%s is valid SQL, and Citus gets the same statements one at a time',
  (_path, text) => {
    expect(splitSql(text).flatMap(kindsIn)).toEqual(kindsIn(text));
  },
);

test.each(functions.map((file) => [file.path, file] as const))(
  '%s replaces one function of its name, and then its triggers',
  (path, file) => {
    const [first, ...others] = kindsIn(file.text);
    expect([first, new Set(others)]).toEqual([
      'CreateFunctionStmt',
      new Set(others.length > 0 ? ['CreateTrigStmt'] : []),
    ]);
    expect(file.text).toMatch(new RegExp(`^CREATE OR REPLACE FUNCTION ${functionOf(file)}\\(`));
    expect(file.text.match(/^CREATE (?!OR REPLACE )/gm)).toBeNull();
    if (/LANGUAGE plpgsql/.test(file.text)) parsePlPgSQLSync(file.text);
    expect(path).toMatch(/^functions\/[a-z-]+\/[a-z_]+\.sql$/);
  },
);

test('the file of privileges only grants and revokes, so nothing in it ends the transaction', () => {
  expect(new Set(kindsIn(privileges.text))).toEqual(new Set(['GrantStmt']));
});

test('every function that is not a trigger is revoked from PUBLIC, and every table from the roles', () => {
  const [, tables = ''] = /REVOKE ALL ON\n([^;]*?)\n {2}FROM PUBLIC/.exec(privileges.text) ?? [];
  const [, names = ''] = /REVOKE ALL ON FUNCTION\n([^;]*?)\n {2}FROM PUBLIC/.exec(privileges.text) ?? [];
  const list = (text: string): string[] => text.split(',').map((name) => name.trim());
  const callable = functions.filter(({ text }) => !/RETURNS trigger/.test(text));
  expect(list(names).sort()).toEqual(callable.map(functionOf).sort());
  expect(list(tables).sort()).toEqual(Object.keys(tableKinds).sort());
});

/**
 * Both releases of an upgrade call the functions. Until the first release, change the list together
 * with a signature. `npm run openapi:release` records those of a release.
 */
test('every function of the last release has the same arguments and result', () => {
  const released = readFileSync(path.join(root, 'database', 'released-functions.txt'), 'utf8');
  expect(released.trim().split('\n').length).toBeGreaterThan(30);
  expect(signaturesOf(functions)).toEqual(expect.arrayContaining(released.trim().split('\n')));
});

test.each([
  [
    'CREATE OR REPLACE FUNCTION f(\n  _a integer,\n  OUT b text\n) LANGUAGE plpgsql AS $$$$;',
    'f(_a integer, OUT b text)',
  ],
  [
    'CREATE OR REPLACE FUNCTION f(_a integer)\nRETURNS integer LANGUAGE sql AS $$$$;',
    'f(_a integer) RETURNS integer',
  ],
])('the signature of %j', (text, expected) => {
  expect(signaturesOf([schemaFile('functions/f.sql', text)])).toEqual([expected]);
});
