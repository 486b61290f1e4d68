/**
 * The properties of each object, as JSON. All shards of a table count as one object, and a property
 * in which they differ has several values.
 */
export type Facts = Map<string, Map<string, Set<string>>>;

/**
 * Names of shards and internal triggers end with a number. Since PostgreSQL 15.20, the options of
 * each column have its version. All these numbers differ per database.
 */
const withoutNumbers = (text: string): string =>
  text.replace(/_\d{5,}\b/g, '_N').replace(/pg_attver=\d+/g, 'pg_attver=N');

/** Texts of functions and rows count byte for byte. */
const exactProperties = new Set(['prosrc', 'rows']);

export function addFacts(facts: Facts, name: string, properties: Record<string, unknown>): void {
  const key = withoutNumbers(name);
  const known = facts.get(key) ?? new Map<string, Set<string>>();
  facts.set(key, known);
  for (const [property, value] of Object.entries(properties)) {
    const text = JSON.stringify(value);
    const values = known.get(property) ?? new Set();
    known.set(property, values.add(exactProperties.has(property) ? text : withoutNumbers(text)));
  }
}

/** The differences, one line each. */
export function compareFacts(from: Facts, to: Facts): string[] {
  const names = [...new Set([...from.keys(), ...to.keys()])].sort();
  return names.flatMap((name) => {
    const [before, after] = [from.get(name), to.get(name)];
    if (before === undefined) return [`${name}: only in TO`];
    if (after === undefined) return [`${name}: only in FROM`];
    const properties = [...new Set([...before.keys(), ...after.keys()])];
    return properties.flatMap((property) => {
      const [old, fresh] = [before.get(property) ?? none, after.get(property) ?? none];
      if (without(old, fresh).size + without(fresh, old).size === 0) return [];
      const [inFrom, inTo] = shorten(...difference(old, fresh));
      return [`${name}: ${property} is ${inFrom} in FROM, ${inTo} in TO`];
    });
  });
}

const none: Set<string> = new Set();

const without = (values: Set<string>, others: Set<string>): Set<string> =>
  new Set([...values].filter((value) => !others.has(value)));

/**
 * The elements of lists, such as privileges, that only one side has. If the elements are the same,
 * the whole values.
 */
function difference(before: Set<string>, after: Set<string>): [from: string, to: string] {
  const [old, fresh] = [elementsOf(before), elementsOf(after)];
  const only = [without(old, fresh), without(fresh, old)] as const;
  const differByElements = only[0].size + only[1].size > 0;
  const [inFrom, inTo] = (differByElements ? only : [before, after]).map((values) => [...values].join(', '));
  return [inFrom || 'nothing', inTo || 'nothing'];
}

function elementsOf(values: Set<string>): Set<string> {
  return new Set(
    [...values].flatMap((text) => {
      const value = JSON.parse(text) as unknown;
      return Array.isArray(value) ? value.map((element) => JSON.stringify(element)) : [text];
    }),
  );
}

const shownCharacters = 160;

/** The parts of two long values around their first difference. */
function shorten(old: string, fresh: string): [from: string, to: string] {
  let start = 0;
  while (start < old.length && old[start] === fresh[start]) start += 1;
  start = Math.max(0, start - shownCharacters / 2);
  const part = (text: string): string =>
    text.length <= shownCharacters ? text : `…${text.slice(start, start + shownCharacters)}…`;
  return [part(old), part(fresh)];
}
