import { jsonPointer } from './json-pointer';

/** Limits of the search: it stops after this many duplicates or characters of pointers. */
const maximumDuplicates = 20;
const maximumPointerCharacters = 4_096;

/**
 * Whether objects and arrays have more than this many levels. Takes linear time.
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
 * Finds members that occur more than once in an object of a JSON text, at every depth. Names are
 * compared after unescaping: "name" and "n\u0061me" are equal.
 *
 * @param text JSON that JSON.parse accepted
 * @param value the result of JSON.parse
 * @returns distinct JSON Pointers of at most 20 duplicates, in the order of the text
 */
export function duplicateMembers(text: string, value: object): string[] {
  // Fast path: JSON.parse keeps one member for each name, so a text with as many colons as members
  // has no duplicates. Texts with escapes are scanned, because JSON.parse of Node.js 24.21 misreads
  // some escaped names of one character as a backslash.
  const hasNone = !text.includes('\\') && countColons(text) === countMembers(value);
  return hasNone ? [] : scan(text);
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
  /** The names found so far. Undefined in an array. */
  readonly names: Set<string> | undefined;
  /** Names that were reported, so that a third occurrence is not reported again. */
  readonly reported: Set<string>;
  /** The current member or element of the scan. */
  position: string | number;
}

/** Reads only names. The text is valid JSON, so everything else can be skipped. */
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

/** @returns the index of the closing quotation mark, or one past the end of the text */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

function nameOf(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}
