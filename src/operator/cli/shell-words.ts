/** One line that a POSIX shell splits into these words. */
export const shellWords = (...words: readonly (string | number)[]): string =>
  words
    .map(String)
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');

/** A sentence with the command that undoes a change. */
export const undoWith = (...words: readonly (string | number)[]): string =>
  `Undo it with: ${shellWords(...words)}`;

/** Like `undoWith`, for a command that changed only some of the given things. */
export const undoSomeWith = (
  changed: number,
  things: readonly (string | number)[],
  ...words: readonly (string | number)[]
): string =>
  changed === things.length
    ? undoWith(...words, ...things)
    : `The others were so before. Undo it for the changed ones with: ${shellWords(...words)}`;
