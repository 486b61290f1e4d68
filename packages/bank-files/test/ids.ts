import type { IdScheme } from '../src';

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Odd weights, so that one wrong character always changes the sum. */
const checkCharacter = (text: string): string =>
  alphabet.charAt(
    Array.from(text).reduce((sum, character, at) => sum + alphabet.indexOf(character) * (2 * at + 1), 0) % 32,
  );

/** Ids of 15 characters that begin with a letter and end with a check character. */
export const scheme: IdScheme = {
  length: 15,
  pattern: /^[A-HJKMNP-TV-Z][0-9A-HJKMNP-TV-Z]{14}$/,
  check: (id) => checkCharacter(id.slice(0, -1)) === id.slice(-1),
  normalize: (text) => text.toUpperCase().replace(/O/g, '0').replace(/[IL]/g, '1'),
};

export const ids = Array.from({ length: 400 }, (_, number) => {
  const text = `K7Q20CR5M3${String(number).padStart(4, '0')}`;
  return text + checkCharacter(text);
});
