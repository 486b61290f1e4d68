import { InvalidInput } from './errors.js';
import { inputs } from './generated/api.js';

/** Only what is told apart easily: capitals, hyphens and underscores are not. */
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** The least number of letters to change, add or remove. */
function distance(one: string, other: string): number {
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

function isNear(given: string, known: string): boolean {
  const [one, other] = [plain(given), plain(known)];
  const shortest = Math.min(one.length, other.length);
  if (shortest < 3) return one === other;
  return one.includes(other) || other.includes(one) || distance(one, other) <= shortest / 3;
}

/**
 * Rejects names that nobody reads. A dropped option or member would change what the call does.
 *
 * @throws InvalidInput that names the one that was probably meant
 */
export function checkNames(field: string, input: unknown, known: readonly string[]): void {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new InvalidInput(field, 'Pass an object.');
  for (const name of Object.keys(input)) {
    if (known.includes(name)) continue;
    const meant =
      known.find((each) => plain(each) === plain(name)) ?? known.find((each) => isNear(name, each));
    throw new InvalidInput(
      name,
      meant === undefined
        ? `There is no such name here. Known: ${known.join(', ') || 'none'}.`
        : `There is no such name here. Did you mean ${meant}?`,
    );
  }
}

/** Rejects members that an operation does not have, such as `PUT /contributions/create`. */
export function checkMembers(field: string, operation: string, input: unknown): void {
  checkNames(field, input, inputs[operation]?.split(' ') ?? []);
}
