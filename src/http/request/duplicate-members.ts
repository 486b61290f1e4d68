import { jsonPointer } from './json-pointer';

/**
 * The search ends after this many duplicates, and after this many characters of pointers: neither
 * takes long to build or to send.
 */
const maximumDuplicates = 20;
const maximumPointerCharacters = 4_096;

/**
 * Whether objects and arrays are nested deeper than this. Time is linear in the length of the text.
 *
 * @param text need not be valid JSON
 */
export function isNestedDeeperThan(levels: number, text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case '{':
      case '[':
        depth += 1;
        if (depth > levels) return true;
        break;
      case '}':
      case ']':
        depth -= 1;
        break;
      case '"':
        at = endOfString(text, at);
    }
  }
  return false;
}

/**
 * Finds members that an object of a JSON text names more than once, at every depth. Escapes do not
 * matter: "name" and "n\u0061me" are one name.
 *
 * @param text JSON that JSON.parse accepted
 * @param value what JSON.parse made of it
 * @returns JSON Pointers without repeats, in the order of the text; those of the first 20
 *   duplicates when there are more
 */
export function duplicateMembers(text: string, value: object): string[] {
  // JSON.parse keeps one member of each name, so a text without more colons than members has no
  // duplicates.
  return countColons(text) === countMembers(value) ? [] : scan(text);
}

function countColons(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) count += 1;
  return count;
}

function countMembers(root: object): number {
  let count = 0;
  const rest: object[] = [root];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const values: unknown[] = Array.isArray(next) ? next : Object.values(next);
    if (values !== next) count += values.length;
    for (const value of values) if (typeof value === 'object' && value !== null) rest.push(value);
  }
  return count;
}

interface Container {
  /** The names so far; undefined in an array. */
  readonly names: Set<string> | undefined;
  /** The names that were reported: a third occurrence is nothing new. */
  readonly reported: Set<string>;
  /** Where in the container the scan is. */
  position: string | number;
}

/** Reads names only. The text is known to be valid, so everything else can be skipped. */
function scan(text: string): string[] {
  const containers: Container[] = [];
  const pointers = new Set<string>();
  let duplicates = 0;
  let characters = 0;
  let expectsName = false;
  for (let at = 0; at < text.length; at += 1) {
    const current = containers.at(-1);
    switch (text[at]) {
      case '{':
        containers.push({ names: new Set(), reported: new Set(), position: '' });
        expectsName = true;
        break;
      case '[':
        containers.push({ names: undefined, reported: new Set(), position: 0 });
        expectsName = false;
        break;
      case '}':
      case ']':
        containers.pop();
        expectsName = false;
        break;
      case ',':
        expectsName = current?.names !== undefined;
        if (typeof current?.position === 'number') current.position += 1;
        break;
      case '"': {
        const end = endOfString(text, at);
        if (expectsName && current?.names !== undefined) {
          current.position = nameOf(text.slice(at, end + 1));
          if (current.names.has(current.position) && !current.reported.has(current.position)) {
            current.reported.add(current.position);
            const pointer = jsonPointer(containers.map(({ position }) => position));
            duplicates += 1;
            if (!pointers.has(pointer)) characters += pointer.length;
            pointers.add(pointer);
            if (duplicates >= maximumDuplicates || characters > maximumPointerCharacters)
              return [...pointers];
          }
          current.names.add(current.position);
          expectsName = false;
        }
        at = end;
      }
    }
  }
  return [...pointers];
}

/** @returns where the closing quotation mark is, or a place behind the text when it has none */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

function nameOf(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}
