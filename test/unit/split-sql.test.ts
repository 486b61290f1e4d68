import { splitSql } from '../../src/db/migrations/split-sql';

/** Citus gets the queries of a migration one by one. */
test.each<[string, string, string[]]>([
  ['one statement', 'SELECT 1', ['SELECT 1']],
  ['two statements', 'SELECT 1; SELECT 2;', ['SELECT 1', ' SELECT 2']],
  ['empty statements', ';; \n;', []],
  ['a lone comment', 'SELECT 1; -- done\n', ['SELECT 1']],
  ['a semicolon in quoted text', `SELECT 'it''s; fine'; SELECT 2`, [`SELECT 'it''s; fine'`, ' SELECT 2']],
  ['a semicolon in a quoted name', 'SELECT "a;""b"; SELECT 2', ['SELECT "a;""b"', ' SELECT 2']],
  [
    'a function in dollar quotes',
    'CREATE FUNCTION f() AS $$ BEGIN a; b; END $$; SELECT 2',
    ['CREATE FUNCTION f() AS $$ BEGIN a; b; END $$', ' SELECT 2'],
  ],
  ['dollar quotes with a tag', 'DO $x$ a; $$ b; $$ $x$; SELECT 2', ['DO $x$ a; $$ b; $$ $x$', ' SELECT 2']],
  ['semicolons in comments', 'SELECT 1 -- a; b\n, 2 /* c; d */', ['SELECT 1 -- a; b\n, 2 /* c; d */']],
  ['a quote in a comment', "SELECT 1; -- it's\nSELECT 2", ['SELECT 1', " -- it's\nSELECT 2"]],
])('%s', (_what, text, queries) => {
  expect(splitSql(text)).toEqual(queries);
});
