import { visit } from 'jsonc-parser';

import { jsonPointer } from './json-pointer';

/** Limits of the result: no pointers are added after this many duplicates or characters. */
const maximumDuplicates = 20;
const maximumPointerCharacters = 4_096;

/** A string, also one without its end, or a bracket. */
const stringOrBracket = /"(?:[^"\\]+|\\.)*"?|[[{\]}]/gs;

/**
 * Whether objects and arrays have more than this many levels. Takes linear time.
 *
 * @param text need not be valid JSON
 */
export function isNestedDeeperThan(levels: number, text: string): boolean {
  let depth = 0;
  for (const [token] of text.matchAll(stringOrBracket)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    if (depth > levels) return true;
  }
  return false;
}

/**
 * Finds members that occur more than once in an object of a JSON text, at every depth. Names are
 * compared after unescaping: "name" and "n\u0061me" are equal.
 *
 * @param text JSON that JSON.parse accepted, of a limited depth
 * @returns distinct JSON Pointers of at most 20 duplicates, in the order of the text
 */
export function duplicateMembers(text: string): string[] {
  const objects: Map<string, number>[] = [];
  const pointers = new Set<string>();
  let duplicates = 0;
  let characters = 0;
  visit(text, {
    onObjectBegin: () => void objects.push(new Map()),
    onObjectEnd: () => void objects.pop(),
    onObjectProperty(name, _offset, _length, _line, _character, pathOfObject) {
      const earlier = objects.at(-1)?.get(name) ?? 0;
      objects.at(-1)?.set(name, earlier + 1);
      if (earlier !== 1 || duplicates >= maximumDuplicates || characters > maximumPointerCharacters) return;
      const pointer = jsonPointer([...pathOfObject(), name]);
      duplicates += 1;
      if (!pointers.has(pointer)) characters += pointer.length;
      pointers.add(pointer);
    },
  });
  return [...pointers];
}
