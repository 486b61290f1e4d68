import { isUuid } from './uuid';

/** Control characters, and characters that look like nothing or change the direction of text. */
const invisible = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** The name with a code, such as <U+200B>, for each invisible character. */
export const visibleName = (name: string): string =>
  name.replace(invisible, (character) => `<${codeOf(character)}>`);

/** A word that could look like another one, because it has letters of two alphabets. */
const hasTwoAlphabets = (word: string): boolean =>
  /\p{Script=Latin}/u.test(word) &&
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u.test(word);

/** @returns why a company cannot have this name; undefined if it can */
export function nameProblem(name: string): string | undefined {
  if (name.length < 1 || name.length > 200) return 'Enter 1 to 200 characters.';
  const [character] = name.match(invisible) ?? [];
  if (character !== undefined)
    return `The name has an invisible character (${codeOf(character)}). Type it again instead of pasting it.`;
  const word = name.split(/\s+/).find(hasTwoAlphabets);
  if (word !== undefined)
    return `"${word}" mixes Latin letters with those of another alphabet, which look alike. Type the name again.`;
  // Commands accept a company_id instead of a name.
  return isUuid(name) ? 'A name cannot look like a company_id.' : undefined;
}
