/**
 * Fewer different characters than 32 random hexadecimal digits ever have (1 in 25 million has fewer
 * than 8).
 */
const fewestCharacters = 8;
const sequences = [
  '0123456789',
  '9876543210',
  'abcdefghijklmnopqrstuvwxyz',
  'zyxwvutsrqponmlkjihgfedcba',
  'qwertyuiopasdfghjklzxcvbnm',
];
const sequenceLength = 8;
/**
 * Words of values that a document, an example or a test has published. Of random texts one in
 * millions has one of them.
 */
const publishedWords = ['pepper', 'example', 'change', 'replace', 'password', 'placeholder', 'secret'];

/**
 * Of random texts of 96 hexadecimal digits 1 in 200 million has a part of this length twice; of
 * base64 far fewer.
 */
const repeatedLength = 10;

/**
 * Why a pepper can be guessed, or undefined when nothing says that it can: nobody can prove that a
 * text is random. It recognizes few different characters, repeated parts, characters in order, and
 * words of published examples. The reason does not repeat the text.
 */
export function trivialityOf(pepper: string): string | undefined {
  if (new Set(pepper).size < fewestCharacters) return 'has too few different characters';
  if (isRepeated(pepper)) return 'repeats a short part';
  if (hasPartTwice(pepper)) return 'has a long part twice';
  if (isSequence(pepper)) return 'has its characters in order';
  const lower = pepper.toLowerCase();
  if (publishedWords.some((word) => lower.includes(word))) return 'is made of words, as in an example';
  return undefined;
}

/**
 * abcdabcd…: the text without its start is the text without its end, for a start of at most half
 * its length.
 */
function isRepeated(text: string): boolean {
  for (let length = 1; length <= text.length / 2; length += 1) {
    if (text.startsWith(text.slice(length))) return true;
  }
  return false;
}

/**
 * correcthorse…correcthorse: words in place of random characters, repeated until they were enough.
 */
function hasPartTwice(text: string): boolean {
  const lower = text.toLowerCase();
  for (let start = 0; start + 2 * repeatedLength <= lower.length; start += 1) {
    const part = lower.slice(start, start + repeatedLength);
    if (lower.includes(part, start + repeatedLength)) return true;
  }
  return false;
}

/**
 * 0123…, zyxw…, aabbcc…, qwerty…: half of the steps from one character to the next are the same, or
 * a known sequence is in it.
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
