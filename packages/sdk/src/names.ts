import { assertInput, InvalidInput } from './errors.js';
import { isObject } from './values.js';

/** The name without the differences that readers overlook: case, hyphens and underscores. */
export const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** The Levenshtein distance: the least number of letters to change, add or remove. */
export function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

/** Whether one name may be a misspelling of the other. */
export function isNear(given: string, known: string): boolean {
  const [one, other] = [plain(given), plain(known)];
  const shortest = Math.min(one.length, other.length);
  if (shortest < 3) return one === other;
  return one.includes(other) || other.includes(one) || distance(one, other) <= shortest / 3;
}

/** The options of a single call. `create` also has `idempotencyKey`. */
export const callNames = 'timeoutMs deadlineMs maxAttempts signal';

/**
 * Rejects unknown names. A dropped option or member would change what the call does.
 *
 * @param names the known names, separated by spaces
 * @throws InvalidInput that suggests the nearest known name
 */
export function checkNames(field: string, input: unknown, names: string): void {
  const known: string[] = names.match(/\S+/g) ?? [];
  assertInput(isObject(input), field, 'Pass an object.');
  for (const name of Object.keys(input)) {
    if (known.includes(name)) continue;
    const changes = (other: string): number => distance(plain(name), plain(other));
    const [meant] = known.filter((each) => isNear(name, each)).sort((a, b) => changes(a) - changes(b));
    let help = meant === undefined ? `Known: ${known.join(', ') || 'none'}.` : `Did you mean ${meant}?`;
    if (field !== 'options' && `${callNames} idempotencyKey`.split(' ').includes(name))
      help = 'Pass it in the options, after the params.';
    throw new InvalidInput(name, `Unknown name. ${help}`);
  }
}

/** Rejects members that an operation, a constant of `generated/api.ts`, does not have. */
export function checkMembers(field: string, operation: string, input: unknown): void {
  checkNames(field, input, operation.replace(/\S+ \S+/, ''));
}
