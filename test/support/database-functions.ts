import { loadModule, parsePlPgSQLSync } from 'libpg-query';
import type { ClientBase, Pool } from 'pg';

/** A function of the schema. */
export interface DatabaseFunction {
  name: string;
  /** The whole `CREATE OR REPLACE FUNCTION` statement. */
  definition: string;
}

/** A statement or an expression of a function. */
export interface Embedded {
  kind: 'statement' | 'condition' | 'assignment' | 'result';
  /** An expression, or a statement with SELECT in place of PERFORM and without INTO. */
  text: string;
  /** The variable to which an assignment assigns. Empty for all other kinds. */
  variable: string;
  /** The position in the definition. */
  start: number;
  end: number;
}

/** The functions that the service calls, as the migrated database has them. */
export async function readFunctions(
  database: ClientBase | Pool,
  caller = 'contribution_service',
): Promise<DatabaseFunction[]> {
  const { rows } = await database.query<DatabaseFunction>(
    `SELECT p.proname AS name, pg_get_functiondef(p.oid) AS definition
       FROM pg_proc p
      WHERE p.pronamespace = 'public'::regnamespace AND has_function_privilege($1, p.oid, 'EXECUTE')
        AND p.prorettype <> 'trigger'::regtype AND p.proname <> 'wait_for_contribution_writers'
        -- The functions of background jobs, which handle all environments.
        AND p.proname NOT IN ('relay_events', 'expire_feed_events', 'count_contributions')
      ORDER BY p.proname`,
    [caller],
  );
  return rows;
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The query of each PL/pgSQL statement, in the order of the text. */
function* queriesIn(part: Json, holder: string): Generator<{ holder: string; query: string }> {
  if (typeof part !== 'object' || part === null) return;
  if (Array.isArray(part)) {
    for (const element of part) yield* queriesIn(element, holder);
    return;
  }
  // The query of a loop is before its body.
  const isQuery = ([key]: [string, Json]): number => Number(key === 'query');
  for (const [key, value] of Object.entries(part).sort((a, b) => isQuery(b) - isQuery(a))) {
    if (key === 'PLpgSQL_expr') yield { holder, query: (value as { query: string }).query };
    else yield* queriesIn(value, key.startsWith('PLpgSQL_') ? key : holder);
  }
}

const kinds: Readonly<Record<string, Embedded['kind']>> = {
  PLpgSQL_stmt_execsql: 'statement',
  PLpgSQL_stmt_perform: 'statement',
  PLpgSQL_stmt_return_query: 'statement',
  PLpgSQL_stmt_fors: 'statement',
  PLpgSQL_stmt_if: 'condition',
  PLpgSQL_if_elsif: 'condition',
  PLpgSQL_stmt_assign: 'assignment',
  PLpgSQL_stmt_return: 'result',
  PLpgSQL_stmt_foreach_a: 'result',
  PLpgSQL_stmt_dynexecute: 'result',
  PLpgSQL_raise_option: 'result',
  PLpgSQL_stmt_raise: 'result',
};

/**
 * The statements and expressions of a function, from PostgreSQL's own parser.
 *
 * @throws Error for a kind of PL/pgSQL statement that is not listed, and for an INTO that is not at
 *   the end of its statement
 */
export function embeddedIn({ name, definition }: DatabaseFunction): Embedded[] {
  if (/^ LANGUAGE sql$/m.test(definition)) return [embeddedInSql(definition)];
  const tree = parsePlPgSQLSync(definition) as unknown as {
    plpgsql_funcs?: { PLpgSQL_function: { action: Json } }[];
  };
  let position = definition.indexOf('\nBEGIN');
  return [...queriesIn(tree.plpgsql_funcs![0]!.PLpgSQL_function.action, '')].map(({ holder, query }) => {
    const kind = kinds[holder];
    if (kind === undefined) throw new Error(`${name} contains a ${holder}`);
    const text = query.trim();
    const written = holder === 'PLpgSQL_stmt_perform' ? text.replace(/^SELECT/, 'PERFORM') : text;
    // A variable of an earlier INTO can have the same text as a condition, so search for the IF as
    // well.
    const before = kind === 'condition' ? 'IF ' : '';
    const found = definition.indexOf(before + written, position);
    if (found < 0) throw new Error(`${name} has INTO in the middle of ${text}`);
    const start = found + before.length;
    position = start + written.length;
    const [, variable = '', expression = text] =
      (kind === 'assignment' && /^(\w+)\s*:=\s*([^]*)$/.exec(text)) || [];
    return { kind, text: expression, variable, start, end: position };
  });
}

/** The only query of a function in SQL. */
function embeddedInSql(definition: string): Embedded {
  const start = definition.indexOf('\nSELECT') + 1;
  const end = definition.lastIndexOf('\n$function$');
  return { kind: 'statement', text: definition.slice(start, end), variable: '', start, end };
}

/** Must be called once before `embeddedIn`. */
export const loadFunctionParser = loadModule;
