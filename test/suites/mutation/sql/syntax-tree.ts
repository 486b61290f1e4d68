import { isDeepStrictEqual } from 'node:util';

import { deparseSync, parseSync } from 'pgsql-parser';

/** A part of the syntax tree that PostgreSQL's own parser makes of a statement: plain JSON. */
export type Part = null | boolean | number | string | Part[] | Node;
export interface Node {
  [key: string]: Part;
}

/** Where a part is, from the top of the tree: names of members and places in lists. */
export type Place = readonly (string | number)[];

export function isNode(part: Part | undefined): part is Node {
  return typeof part === 'object' && part !== null && !Array.isArray(part);
}

/** Every node is wrapped in an object with one member, its type; this takes the wrapping off. */
export function unwrap(part: Part | undefined, type: string): Node | undefined {
  const inner = isNode(part) ? part[type] : undefined;
  return isNode(inner) ? inner : undefined;
}

/**
 * Reads one statement.
 *
 * @throws Error when it is none, or more than one
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
 * Writes a statement, and reads it again to see that nothing of it was lost or changed on the way.
 *
 * @throws Error when what is written would be read as something else
 */
export function write(statement: Node): string {
  const sql = deparseSync(statement);
  if (!isDeepStrictEqual(parse(sql), statement)) {
    throw new Error(`the statement is not the same after writing it:\n${sql}`);
  }
  return sql;
}

/** Writes a part of a statement on one line, to show it. */
export function show(part: Part): string {
  if (typeof part === 'string') return part;
  if (Array.isArray(part)) return part.map(show).join(', ');
  return deparseSync(part as never)
    .replace(/\s+/g, ' ')
    .replace(/\( /g, '(');
}

/** A copy of the tree with something else in one place; undefined takes out what is there. */
export function replaced(tree: Node, place: Place, replacement: Part | undefined): Node {
  // Not structuredClone: under jest its objects are of another realm, and equal to none of ours.
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

/** Where in the text a node stands is not part of what it means. */
function withoutLocations(part: Part): Part {
  if (Array.isArray(part)) return part.map(withoutLocations);
  if (!isNode(part)) return part;
  return Object.fromEntries(
    Object.entries(part)
      .filter(([key]) => !positions.test(key))
      .map(([key, value]) => [key, withoutLocations(value)]),
  );
}

/** The names of the tables, and of the parts of WITH, that a statement reads or writes. */
export function tablesOf(part: Part): string[] {
  if (Array.isArray(part)) return part.flatMap(tablesOf);
  if (!isNode(part)) return [];
  const name = part['relname'];
  return [...(typeof name === 'string' ? [name] : []), ...Object.values(part).flatMap(tablesOf)];
}
