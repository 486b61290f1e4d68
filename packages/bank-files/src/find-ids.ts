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
  /** Accepts or rejects a candidate for another reason. It is asked last, so it may be slow. */
  accept?: (candidate: string) => boolean;
  /** Finds ids inside longer words too. Only for a pattern that rules out coincidences. */
  insideWords?: boolean;
  /** With `insideWords`: finds only ids that start with one of these texts, all of one length. */
  startsWith?: ReadonlySet<string> | undefined;
  /**
   * Finds ids that are broken by a mark of `bankBreaks` too, such as a full stop. Without it, only
   * spaces, line ends and hyphens may occur within an id.
   */
  breaks?: boolean;
}

/** Marks at which banks break a text: ". ", "//", dashes and the tags of MT940 such as "?21". */
const bankBreaks = /\?\d\d|\/\/|[.\u2010-\u2015]/g;

const mostDamaged = 20;

export interface FoundIds {
  /** Each id once, in the order of the texts. */
  ids: string[];
  /** Whole words with the form of an id whose check character does not match: the first 20. */
  damaged: string[];
}

/**
 * A text without the separators that may occur within an id. Records where its words start and end,
 * in ascending order.
 */
interface Run {
  characters: string;
  bounds: readonly number[];
}

function runOf(segment: string): Run {
  const words = segment.split(/[\s-]+/);
  const bounds = [0];
  let length = 0;
  for (const word of words) {
    if (word === '') continue;
    length += word.length;
    bounds.push(length);
  }
  return { characters: words.join(''), bounds };
}

/**
 * Splits a text at separators that cannot occur within an id. Spaces, line ends and hyphens can,
 * because banks re-space references. Any other separator ends an id, so a damaged character cannot
 * shift the rest. Leaves out what is too short for an id.
 */
const runsOf = (text: string, { length, breaks = false }: IdScheme): Run[] =>
  (breaks ? text.replace(bankBreaks, ' ') : text)
    .split(/[^A-Za-z0-9\s-]+/)
    .filter((segment) => segment.length >= length)
    .map(runOf);

const upperCase = (characters: string): string => characters.toUpperCase();

/** Receives each candidate, and returns whether it is an id. */
type Take = (candidate: string, isWholeWords: boolean) => boolean;

/** Takes the candidates that start and end with a word. Ids do not overlap. */
function takeWords({ characters, bounds }: Run, scheme: IdScheme, take: Take): void {
  const { length, normalize = upperCase } = scheme;
  let free = 0;
  let at = 0;
  for (const start of bounds) {
    const end = start + length;
    while ((bounds[at] ?? Infinity) < end) at += 1;
    if (start < free || bounds[at] !== end) continue;
    if (take(normalize(characters.slice(start, end)), true)) free = end;
  }
}

/**
 * Takes all candidates, because ids may overlap, and one must not hide another. Leaves out those in
 * words that have one character more than an id: that character may be anywhere, so each of the two
 * possible candidates may be another id.
 */
function takeAnywhere(run: Run, scheme: IdScheme, take: Take): void {
  const { length, normalize = upperCase, startsWith } = scheme;
  const characters = normalize(run.characters);
  const prefix = startsWith?.values().next().value?.length ?? 0;
  let bounds: ReadonlySet<number> | undefined;
  for (let start = 0; start + length <= characters.length; start += 1) {
    if (startsWith && !startsWith.has(characters.slice(start, start + prefix))) continue;
    bounds ??= new Set(run.bounds);
    const end = start + length;
    const isWholeWords = bounds.has(start) && bounds.has(end);
    const hasOneMore =
      (bounds.has(start) && bounds.has(end + 1)) || (bounds.has(start - 1) && bounds.has(end));
    if (isWholeWords || !hasOneMore) take(characters.slice(start, end), isWholeWords);
  }
}

/**
 * Finds ids in the texts of a payment: alone, within a sentence, in lower case, wrapped or with
 * separators. An id must start and end at a word boundary, unless the scheme has `insideWords`.
 */
export function findIds(texts: readonly string[], scheme: IdScheme): FoundIds {
  const { pattern, check, accept, insideWords = false } = scheme;
  const found = new Set<string>();
  const damaged = new Set<string>();
  const take: Take = (candidate, isWholeWords) => {
    if (!pattern.test(candidate)) return false;
    const isRight = check(candidate);
    if (!isRight && (!isWholeWords || damaged.size === mostDamaged)) return false;
    if (accept?.(candidate) === false) return false;
    (isRight ? found : damaged).add(candidate);
    return isRight;
  };
  for (const text of texts) {
    for (const run of runsOf(text, scheme)) (insideWords ? takeAnywhere : takeWords)(run, scheme, take);
  }
  return { ids: [...found], damaged: [...damaged] };
}
