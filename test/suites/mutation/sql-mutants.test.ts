/**
 * Its own modules: the parser of PostgreSQL keeps 130 MB.
 *
 * @jest-environment node
 */
import { loadModule } from 'pgsql-parser';

import { loadFunctionParser } from '../../support/database-functions';
import { unusedExplanations } from './sql/explained';
import { functionTasks } from './sql/function-tasks';
import { mutantsOf, mutantsOfUnprepared } from './sql/mutants';
import { parse, write } from './sql/syntax-tree';
import { longTest } from '../../support/full-run';

/** Tests that SQL mutation testing generates all mutants; none is listed by hand. */
beforeAll(async () => {
  await loadModule();
  await loadFunctionParser();
});

const keysOf = (sql: string): string[] => mutantsOf(sql).map(({ key }) => key);
const textOf = (sql: string, key: string): string | undefined =>
  mutantsOf(sql)
    .find((mutant) => mutant.key === key)
    ?.text.replace(/\s+/g, ' ');

const sample = `
  WITH held AS (SELECT a.id FROM accounts a FOR KEY SHARE OF a),
  open AS (
    SELECT t.id, t.payer = $2 AND t.amount > 0 AS is_mine, t.note IS NULL AS is_bare
      FROM transfers t JOIN accounts a USING (account_id)
     WHERE t.account_id = $1 AND (t.due IS NULL OR t.due > now()) AND NOT EXISTS (SELECT FROM blocks b WHERE b.id = t.id)
  ),
  booked AS (
    INSERT INTO bookings (account_id, id)
    SELECT $1, open.id FROM open UNION ALL SELECT $1, $3
    ON CONFLICT ON CONSTRAINT bookings_pkey DO UPDATE SET seen_at = GREATEST(bookings.seen_at, now())
  )
  SELECT CASE WHEN open.is_mine THEN open.id END AS id, count(*) FILTER (WHERE open.is_bare) FROM open GROUP BY 1`;

describe('the mutants of a statement', () => {
  longTest('have all the known kinds that apply to the statement', () => {
    expect(keysOf(sample)).toEqual([
      'id: open.is_mine is always true',
      'open.is_bare is always true',
      'held: FOR KEY SHARE OF a locks nothing',
      'open › is_mine: t.payer = $2 AND t.amount > 0 is true always',
      'open › is_mine: t.payer = $2 AND t.amount > 0 is false always',
      'open › is_mine: t.payer = $2 is always true',
      'open › is_mine: t.amount > 0 is always true',
      'open › is_bare: t.note IS NULL is true always',
      'open › is_bare: t.note IS NULL is false always',
      'open: account_id joins everything',
      'open: t.account_id = $1 is always true',
      'open: t.due IS NULL OR t.due > now() is always true',
      'open: t.due IS NULL is always false',
      'open: t.due > now() is always false',
      'open: NOT (EXISTS (SELECT FROM blocks AS b WHERE b.id = t.id)) is always true',
      'open › EXISTS: b.id = t.id is always true',
      'booked: bookings changes nothing',
      'booked: SELECT $1, open.id FROM open has no rows',
      'booked: SELECT $1, $3 has no rows',
      'booked: bookings_pkey is gone',
      'booked: bookings_pkey updates nothing',
      'booked › seen_at: GREATEST(bookings.seen_at, now()) is always its argument 1',
      'booked › seen_at: GREATEST(bookings.seen_at, now()) is always its argument 2',
    ]);
  });

  longTest('differ from the statement and from each other', () => {
    const texts = [write(parse(sample)), ...mutantsOf(sample).map(({ text }) => text)];
    expect(new Set(texts).size).toBe(texts.length);
  });

  test.each([
    [
      'SELECT 1 FROM t WHERE t.a = $1 AND t.b = $2',
      't.a = $1 is always true',
      '(true OR t.a = $1) AND t.b = $2',
    ],
    [
      'SELECT 1 FROM t WHERE t.a = $1 OR t.b = $2',
      't.b = $2 is always false',
      't.a = $1 OR (false AND t.b = $2)',
    ],
    ['INSERT INTO t (a) VALUES ($1) ON CONFLICT (a) WHERE b DO NOTHING', 'ON CONFLICT (…) is gone', '($1)'],
    [
      'INSERT INTO t (a) VALUES ($1) ON CONFLICT ON CONSTRAINT k DO NOTHING',
      'k has no target',
      'ON CONFLICT DO NOTHING',
    ],
    [
      'WITH c AS (UPDATE t SET a = 1 WHERE b = $1) SELECT 1',
      'c: t changes nothing',
      'WHERE false AND b = $1)',
    ],
  ])('of %s: %s', (sql, key, expected) => {
    expect(textOf(sql, key)).toContain(expected);
  });

  test('with equal descriptions are numbered', () => {
    expect(keysOf('SELECT 1 FROM a JOIN b ON a.x = b.x WHERE a.x = b.x')).toEqual([
      'a.x = b.x is always true',
      'a.x = b.x is always true (2)',
    ]);
  });
});

describe('the mutants of a text that is built per call', () => {
  test('have one key regardless of the parameter numbers', () => {
    const keys = (sql: string) => mutantsOfUnprepared(sql).map(({ key }) => key);
    expect(keys('SELECT 1 FROM t WHERE t.a = $1 AND t.b = $2')).toEqual([
      't.a = $1 is always true',
      't.b = $n is always true',
    ]);
    expect(keys('SELECT 1 FROM t WHERE t.a = $1 AND t.c = $2 AND t.b = $3')).toContain(
      't.b = $n is always true',
    );
  });

  test('change a condition everywhere it occurs', () => {
    const [mutant] = mutantsOfUnprepared('SELECT 1 FROM t WHERE t.a = $1 AND t.a = $1');
    expect(mutant?.text.replace(/\s+/g, ' ')).toContain('(true OR t.a = $1) AND (true OR t.a = $1)');
  });
});

describe('the mutants of a function', () => {
  const definition = `CREATE OR REPLACE FUNCTION public.book(_id integer, OUT is_new boolean)
 LANGUAGE plpgsql
AS $function$
DECLARE
  _is_open boolean;
BEGIN
  SELECT t.open FROM transfers t WHERE t.id = _id FOR KEY SHARE INTO _is_open;
  IF _is_open THEN
    INSERT INTO bookings (id) VALUES (_id) ON CONFLICT ON CONSTRAINT bookings_pkey DO NOTHING RETURNING id INTO _id;
    is_new := FOUND;
  ELSIF _id > 0 AND NOT is_new THEN
    PERFORM 1 FROM transfers t WHERE t.id = _id FOR UPDATE;
    is_new := _id = 1;
  END IF;
END $function$`;
  const tasks = () =>
    functionTasks(
      [
        { name: 'book', definition },
        {
          name: 'book_all',
          definition: definition.replace('book', 'book_all').replace('transfers t', 'book(1) t'),
        },
      ],
      [
        {
          file: 'a.test.ts',
          milliseconds: 1,
          declared: [],
          ran: [{ text: 'SELECT FROM book_all(1)', times: 1 }],
        },
        { file: 'b.test.ts', milliseconds: 1, declared: [], ran: [{ text: 'SELECT FROM others', times: 1 }] },
      ],
    ).filter(({ subject }) => subject === 'function book');
  const changeOf = (key: string): string =>
    tasks()
      .find((task) => task.key === key)!
      .schemaChange!.replace(/\s+/g, ' ');

  test('are those of its statements, conditions and results', () => {
    expect(tasks().map(({ key }) => key)).toEqual([
      't.id = _id is always true',
      'FOR KEY SHARE locks nothing',
      'IF _is_open is true always',
      'IF _is_open is false always',
      'bookings_pkey is gone',
      'bookings_pkey has no target',
      'insert bookings is gone',
      'IF _id > 0 AND NOT (is_new): _id > 0 is always true',
      'IF _id > 0 AND NOT (is_new): NOT (is_new) is always true',
      'IF _id > 0 AND NOT (is_new) is true always',
      'IF _id > 0 AND NOT (is_new) is false always',
      't.id = _id is always true (2)',
      'FOR UPDATE locks nothing',
      'is_new := _id = 1 is true always',
      'is_new := _id = 1 is false always',
    ]);
  });

  test.each([
    ['FOR KEY SHARE locks nothing', 'WHERE t.id = _id INTO _is_open; IF'],
    ['IF _is_open is true always', 'INTO _is_open; IF (_is_open) IS NOT NULL OR true THEN'],
    ['insert bookings is gone', 'IF _is_open THEN NULL; is_new := FOUND'],
    ['t.id = _id is always true (2)', 'PERFORM 1 FROM transfers AS t WHERE true OR t.id = _id FOR UPDATE;'],
    ['is_new := _id = 1 is false always', 'is_new := (_id = 1) IS NULL AND false; END IF'],
  ])('%s, in the whole definition', (key, expected) => {
    expect(changeOf(key)).toContain(expected);
    expect(changeOf(key)).toMatch(/^CREATE OR REPLACE FUNCTION .* END \$function\$$/);
  });

  test('run the tests of the statements that call it, also through another function', () => {
    expect(tasks()[0]!.files).toEqual(['a.test.ts']);
  });
});

test('a statement whose serialized form has another meaning is rejected', () => {
  expect(() => parse('SELECT 1; SELECT 2')).toThrow('one statement was expected');
  expect(() => write({ SelectStmt: { op: 'SETOP_NONE', limitOption: 'unheard of' } })).toThrow();
});

test('an explanation without a mutant is found', () => {
  const subject = 'function complete_contribution_of';
  const key = 't.environment_id = _environment_id is always true (4)';
  expect(unusedExplanations([])).toContain(`${subject}: ${key}`);
  expect(unusedExplanations([{ subject, key }])).not.toContain(`${subject}: ${key}`);
});
