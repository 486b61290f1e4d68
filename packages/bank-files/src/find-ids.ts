/** What ids look like, and how to recognize a mistyped one. */
export interface IdScheme {
  /** The number of characters of every id. */
  length: number;
  /**
   * Accepts candidates with the form of an id: `length` letters and digits, as `normalize` returns
   * them. A RegExp must not have the flag g.
   */
  pattern: Pick<RegExp, 'test'>;
  /** Whether the check character of a candidate matches the rest. */
  check: (candidate: string) => boolean;
  /** Unifies characters that people confuse, and keeps their number. By default: upper case. */
  normalize?: (characters: string) => string;
  /** Finds ids inside longer words too. Only for a pattern that rules out coincidences. */
  insideWords?: boolean;
  /**
   * Finds ids that are broken by a mark of `bankBreaks` too, such as a full stop. Without it, only
   * spaces, line ends and hyphens may occur within an id.
   */
  breaks?: boolean;
}

/** Marks at which banks break a text: ". ", "//", dashes and the tags of MT940 such as "?21". */
const bankBreaks = /\?\d\d|\/\/|[.\u2010-\u2015]/g;

export interface FoundIds {
  /** Each id once, in the order of the texts. */
  ids: string[];
  /** Whether a text has the form of an id, but its check character does not match. */
  hasWrongCheckCharacter: boolean;
}

/**
 * A text without the separators that may occur within an id. Records where its words start and end.
 */
interface Run {
  characters: string;
  starts: ReadonlySet<number>;
  ends: ReadonlySet<number>;
}

/**
 * Splits a text at separators that cannot occur within an id. Spaces, line ends and hyphens can,
 * because banks re-space references. Any other separator ends an id, so a damaged character cannot
 * shift the rest.
 */
const runsOf = (text: string, normalize: (characters: string) => string): Run[] =>
  text.split(/[^A-Za-z0-9\s-]+/).map((segment) => {
    const words = segment.split(/[\s-]+/).filter((word) => word !== '');
    const ends: number[] = [];
    for (const word of words) ends.push((ends.at(-1) ?? 0) + word.length);
    return { characters: normalize(words.join('')), starts: new Set([0, ...ends]), ends: new Set(ends) };
  });

/**
 * Whether the words around a window have one character more than an id. That character may be
 * anywhere, so each of the two possible windows may be another id.
 */
const hasOneMore = ({ starts, ends }: Run, start: number, end: number): boolean =>
  (starts.has(start) && ends.has(end + 1)) || (starts.has(start - 1) && ends.has(end));

/**
 * Finds ids in the texts of a payment: alone, within a sentence, in lower case, wrapped or with
 * separators. An id must start and end at a word boundary, unless the scheme has `insideWords`.
 */
export function findIds(texts: readonly string[], scheme: IdScheme): FoundIds {
  const { length, pattern, check, insideWords = false, breaks = false } = scheme;
  const normalize = scheme.normalize ?? ((characters: string) => characters.toUpperCase());
  const found = new Set<string>();
  let hasWrongCheckCharacter = false;
  const joined = breaks ? texts.map((text) => text.replace(bankBreaks, ' ')) : texts;
  for (const run of joined.flatMap((text) => runsOf(text, normalize))) {
    for (let start = 0; start + length <= run.characters.length; start += 1) {
      const end = start + length;
      const isWholeWords = run.starts.has(start) && run.ends.has(end);
      if (!isWholeWords && (!insideWords || hasOneMore(run, start, end))) continue;
      const candidate = run.characters.slice(start, end);
      if (!pattern.test(candidate)) continue;
      if (!check(candidate)) {
        hasWrongCheckCharacter ||= isWholeWords;
        continue;
      }
      found.add(candidate);
      // Inside words, ids may overlap, and one must not hide another.
      if (!insideWords) start = end - 1;
    }
  }
  return { ids: [...found], hasWrongCheckCharacter };
}
