import { isDeepStrictEqual } from 'node:util';

import { deparseSync, parseSync } from 'pgsql-parser';

/** A part of the syntax tree of PostgreSQL's own parser, as plain JSON. */
export type Part = null | boolean | number | string | Part[] | Node;
export interface Node {
  [key: string]: Part;
}

/** The path of a part from the root of the tree: member names and list indexes. */
export type Place = readonly (string | number)[];

export function isNode(part: Part | undefined): part is Node {
  return typeof part === 'object' && part !== null && !Array.isArray(part);
}

/** Every node is wrapped in an object whose only member is its type; this unwraps it. */
export function unwrap(part: Part | undefined, type: string): Node | undefined {
  const inner = isNode(part) ? part[type] : undefined;
  return isNode(inner) ? inner : undefined;
}

/**
 * Parses one statement.
 *
 * @throws Error when the text is not exactly one statement
 */
export function parse(sql: string): Node {
  const tree = withoutLocations(parseSync(sql) as unknown as Part);
  const statements = isNode(tree) ? tree['stmts'] : undefined;
  const [only, another] = Array.isArray(statements) ? statements : [];
  const statement = isNode(only) ? only['stmt'] : undefined;
  if (!isNode(statement) || another !== undefined) throw new Error('one statement was expected');
  return statement;
}

/**
 * Serializes a statement, and parses the result to verify that nothing was lost or changed.
 *
 * @throws Error when the result has another meaning
 */
export function write(statement: Node): string {
  const sql = deparseSync(statement);
  if (!isDeepStrictEqual(parse(sql), statement)) {
    throw new Error(`the statement is not the same after writing it:\n${sql}`);
  }
  return sql;
}

/** Serializes a part of a statement on one line, for display. */
export function show(part: Part): string {
  if (typeof part === 'string') return part;
  if (Array.isArray(part)) return part.map(show).join(', ');
  return deparseSync(part as never)
    .replace(/\s+/g, ' ')
    .replace(/\( /g, '(');
}

/** A copy of the tree with a replacement in one place; undefined removes the part. */
export function replaced(tree: Node, place: Place, replacement: Part | undefined): Node {
  // Not structuredClone: under Jest its objects are from another realm and never equal.
  const copy = JSON.parse(JSON.stringify(tree)) as Node;
  let holder: Part | undefined = copy;
  for (const step of place.slice(0, -1)) holder = (holder as Node)[step];
  const last = place.at(-1);
  if (typeof holder !== 'object' || holder === null || last === undefined)
    throw new Error('there is no such place');
  if (replacement === undefined) Reflect.deleteProperty(holder, last);
  else (holder as Node)[last] = replacement;
  return copy;
}

const positions = /^(location|stmt_location|stmt_len|.+_location|list_start|list_end)$/;

/** The position of a node in the text is not part of its meaning. */
function withoutLocations(part: Part): Part {
  if (Array.isArray(part)) return part.map(withoutLocations);
  if (!isNode(part)) return part;
  return Object.fromEntries(
    Object.entries(part)
      .filter(([key]) => !positions.test(key))
      .map(([key, value]) => [key, withoutLocations(value)]),
  );
}

/** The names of the tables and WITH parts that a statement reads or writes. */
export function tablesOf(part: Part): string[] {
  if (Array.isArray(part)) return part.flatMap(tablesOf);
  if (!isNode(part)) return [];
  const name = part['relname'];
  return [...(typeof name === 'string' ? [name] : []), ...Object.values(part).flatMap(tablesOf)];
}
