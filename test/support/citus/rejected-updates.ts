import { parseSync } from 'libpg-query';

import { tableKinds } from '../../../src/db/citus/table-kinds';

type Tree = null | boolean | number | string | Tree[] | { [key: string]: Tree };
type Node = Record<string, Tree>;

/** All nodes of the kinds in a part of a statement, also inside each other. */
function nodesIn(part: Tree | undefined, ...kinds: string[]): Node[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) => [
    ...(kinds.includes(key) ? [value as Node] : []),
    ...nodesIn(value, ...kinds),
  ]);
}

const namesIn = (part: Tree | undefined): string[] =>
  nodesIn(part, 'String').map(({ sval }) => sval as string);

const isClock = ({ funcname }: Node): boolean =>
  /^(now|(statement|clock|transaction)_timestamp)$/.test(namesIn(funcname).join('.'));

const isTime = ({ typeName }: Node): boolean =>
  namesIn(typeName).some((name) => /^(timestamptz|timestamp|date|interval)$/.test(name));

const readsClock = (part: Tree): boolean =>
  nodesIn(part, 'SQLValueFunction').length > 0 || nodesIn(part, 'FuncCall').some(isClock);

/** Sums and differences of times, such as `_now + interval '1 second'`. */
const timeSums = (part: Tree): Node[] =>
  nodesIn(part, 'A_Expr').filter(
    (sum) =>
      /^[+-]$/.test(namesIn(sum['name']).join('')) &&
      (readsClock(sum) || nodesIn(sum, 'TypeCast').some(isTime)),
  );

/** Conversions to a time. A constant or a parameter has the type at once. */
const timeConversions = (part: Tree): Node[] =>
  nodesIn(part, 'TypeCast').filter(
    (cast) => isTime(cast) && !/^(A_Const|ParamRef)$/.test(Object.keys(cast['arg'] as Node).join('')),
  );

/** Unlike a column, a variable of a function has a name that starts with an underscore. */
const readsColumn = (part: Tree): boolean =>
  nodesIn(part, 'ColumnRef').some(({ fields }) => !namesIn(fields)[0]?.startsWith('_'));

/**
 * What Citus rejects in the UPDATE and DELETE statements of a text, except in tables of the
 * coordinator. Sums and conversions of times depend on the time zone, so they are not immutable.
 * Citus rejects them in CASE and COALESCE, and sums also with a column. `CASE value WHEN` fails in
 * a statement that also computes a time. All of this happens only when the statement runs.
 *
 * The types of variables are unknown here, so the search misses a sum of two variables.
 */
export function rejectedByCitus(sql: string): string[] {
  const changes = nodesIn(parseSync(sql) as unknown as Tree, 'UpdateStmt', 'DeleteStmt').filter(
    ({ relation }) => tableKinds[(relation as Node)['relname'] as string] !== 'local',
  );
  const choices = changes.flatMap((change) => nodesIn(change, 'CaseExpr', 'CoalesceExpr'));
  const problems = {
    'a time computed in CASE or COALESCE': choices.some(
      (choice) => readsClock(choice) || timeSums(choice).length > 0 || timeConversions(choice).length > 0,
    ),
    'a time computed from a column': changes.flatMap(timeSums).some(readsColumn),
    'CASE value WHEN instead of CASE WHEN': choices.some(({ arg }) => arg !== undefined),
  };
  return Object.entries(problems).flatMap(([problem, isFound]) => (isFound ? [problem] : []));
}
