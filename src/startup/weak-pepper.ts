/** Only 1 in 25 million random texts of 32 hexadecimal digits has fewer distinct characters. */
const minimumDifferentCharacters = 8;
const sequences = [
  '0123456789',
  '9876543210',
  'abcdefghijklmnopqrstuvwxyz',
  'zyxwvutsrqponmlkjihgfedcba',
  'qwertyuiopasdfghjklzxcvbnm',
];
const sequenceLength = 8;
/** Words in published examples. Only one in millions of random texts contains such a word. */
const exampleWords = ['pepper', 'example', 'change', 'replace', 'password', 'placeholder', 'secret'];

/**
 * Only 1 in 200 million random texts of 96 hexadecimal digits repeats a part of this length. For
 * base64, it is far less likely.
 */
const repeatedLength = 10;

/**
 * Why a pepper is weak; undefined if no weakness is found. It detects a low number of distinct
 * characters, repeated parts, characters in order, and words of published examples. The reason does
 * not contain the pepper.
 */
export function weaknessOf(pepper: string): string | undefined {
  if (new Set(pepper).size < minimumDifferentCharacters) return 'has too few different characters';
  if (isRepeated(pepper)) return 'repeats a short part';
  if (hasPartTwice(pepper)) return 'repeats a long part';
  if (isSequence(pepper)) return 'is a sequence of characters';
  const lower = pepper.toLowerCase();
  if (exampleWords.some((word) => lower.includes(word))) return 'contains a word from an example';
  return undefined;
}

/** Detects abcdabcd…: a part of the text is repeated to its end. */
function isRepeated(text: string): boolean {
  for (let length = 1; length <= text.length / 2; length += 1) {
    if (text.startsWith(text.slice(length))) return true;
  }
  return false;
}

/** Detects correcthorse…correcthorse: words repeated until the text is long enough. */
function hasPartTwice(text: string): boolean {
  const lower = text.toLowerCase();
  for (let start = 0; start + 2 * repeatedLength <= lower.length; start += 1) {
    const part = lower.slice(start, start + repeatedLength);
    if (lower.includes(part, start + repeatedLength)) return true;
  }
  return false;
}

/**
 * Detects 0123…, zyxw…, aabbcc… and qwerty…: at least half of the differences between neighboring
 * characters are equal, or the text contains a known sequence.
 */
function isSequence(text: string): boolean {
  const counts = new Map<number, number>();
  for (let index = 1; index < text.length; index += 1) {
    const step = text.charCodeAt(index) - text.charCodeAt(index - 1);
    counts.set(step, (counts.get(step) ?? 0) + 1);
  }
  if (Math.max(...counts.values()) >= (text.length - 1) / 2) return true;
  const lower = text.toLowerCase();
  return sequences.some((sequence) =>
    Array.from({ length: sequence.length - sequenceLength + 1 }, (_, start) =>
      sequence.slice(start, start + sequenceLength),
    ).some((part) => lower.includes(part)),
  );
}
