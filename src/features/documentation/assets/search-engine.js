// @ts-check
// Ranks the sections of the documentation for a query. search.js shows them.

/** @typedef {import('./search-engine.js').Entry} Entry */
/** @typedef {import('./search-engine.js').Snippet} Snippet */
/** @typedef {import('./search-engine.js').Found} Found */
/** @typedef {import('./search-engine.js').Group} Group */

const mostResults = 12;
const mostOfPage = 4;
const snippetLength = 160;

const stopWords = new Set(
  (
    'a am an and any are as at be been but by can could do does for from had has have how i if in into is it its ' +
    'me my no not of on or our shall should so that the their them then there these they this those to us was we ' +
    'were what when where which who why will with would you your'
  ).split(' '),
);

/** @param {string} text */
const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

/**
 * The terms of a section. "amount_mismatch" and "FileIntentStore" are also found by their parts.
 *
 * @param {string} text
 */
const termsOf = (text) =>
  (text.match(/[\p{L}\p{N}_]+/gu) ?? []).flatMap((word) => {
    const parts = word.split(/_|(?<=\p{Ll})(?=\p{Lu})/u);
    return (parts.length > 1 ? [word, ...parts] : [word]).map((part) => part.toLowerCase());
  });

/** @param {string} text */
const phraseOf = (text) => wordsOf(text).join(' ');

/** @param {string} query */
function queryWordsOf(query) {
  const words = [...new Set(wordsOf(query))];
  const own = words.filter((word) => !stopWords.has(word));
  return own.length === 0 ? words : own;
}

/**
 * The sentence with the most of these words, cut around the first of them.
 *
 * @param {string} text
 * @param {(word: string) => string | undefined} matchOf the term of the query that a word matches
 * @returns {Snippet}
 */
function snippetOf(text, matchOf) {
  const sentences = text.split(/(?<=[.?!:]) +/);
  const counts = sentences.map(
    (sentence) => new Set(wordsOf(sentence).flatMap((word) => matchOf(word) ?? [])).size,
  );
  const best = counts.indexOf(Math.max(...counts));
  const shown = sentences.slice(best).join(' ');
  const isWord = /[\p{L}\p{N}_]+/gu;
  const first = [...shown.matchAll(isWord)].find(([word]) => matchOf(word.toLowerCase()))?.index ?? 0;
  const start = first < snippetLength * 0.75 ? 0 : shown.indexOf(' ', first - snippetLength / 3) + 1;
  const end =
    shown.length - start <= snippetLength ? shown.length : shown.lastIndexOf(' ', start + snippetLength);
  const cut = shown.slice(start, end > start ? end : start + snippetLength);
  const before = start > 0 || best > 0 ? '… ' : '';
  const after = start + cut.length < shown.length ? ' …' : '';
  const parts = cut.split(/([\p{L}\p{N}_]+)/u).map((part) => ({
    text: part,
    isMatch: /^[\p{L}\p{N}_]/u.test(part) && matchOf(part.toLowerCase()) !== undefined,
  }));
  return [{ text: before, isMatch: false }, ...parts, { text: after, isMatch: false }].filter(
    (part) => part.text !== '',
  );
}

/**
 * Results by page: the page of the best result comes first.
 *
 * @param {Found[]} ranked
 * @returns {Group[]}
 */
function groupsOf(ranked) {
  /** @type {Map<string, Found[]>} */
  const pages = new Map();
  for (const found of ranked) pages.set(found.entry.page, [...(pages.get(found.entry.page) ?? []), found]);
  return [...pages].map(([page, found]) => ({ page, found: found.slice(0, mostOfPage) }));
}

/**
 * @param {typeof import('minisearch').default} MiniSearch
 * @param {(word: string) => string} stemmer
 * @param {{ entries: Entry[], synonyms: Record<string, string[]> }} content
 * @returns {(query: string) => Group[]}
 */
export function createSearch(MiniSearch, stemmer, { entries, synonyms }) {
  const index = new MiniSearch({
    fields: ['title', 'page', 'text', 'keywords'],
    tokenize: termsOf,
    processTerm: (word) => [...new Set([word, stemmer(word)])],
    searchOptions: {
      boost: { title: 6, page: 2, keywords: 8 },
      boostDocument: (id) => entries[id]?.weight ?? 1,
      tokenize: (word) => [word],
      processTerm: (word) => word,
    },
  });
  index.addAll(entries.map((entry, id) => ({ id, ...entry })));

  const stemmedSynonyms = new Map(
    Object.entries(synonyms).map(([word, others]) => [stemmer(word), others.map(stemmer)]),
  );

  /**
   * A word as it is counts most, then its stem, then synonyms. The last word may be incomplete.
   *
   * @param {string} word
   * @param {{ isLast: boolean, isFuzzy: boolean }} options
   */
  const queryOf = (word, { isLast, isFuzzy }) => ({
    combineWith: /** @type {const} */ ('OR'),
    queries: [
      {
        queries: [word],
        prefix: isLast && word.length > 1,
        fuzzy: isFuzzy && word.length > 3 ? 0.25 : false,
      },
      ...(stemmer(word) === word ? [] : [stemmer(word)]),
      ...(stemmedSynonyms.get(stemmer(word)) ?? []).map((other) => ({
        queries: [other],
        boostTerm: () => 0.7,
      })),
    ],
  });

  /** @param {string[]} words @param {'AND' | 'OR'} combineWith @param {boolean} isFuzzy */
  const resultsOf = (words, combineWith, isFuzzy) =>
    index.search({
      combineWith,
      queries: words.map((word, at) => queryOf(word, { isLast: at === words.length - 1, isFuzzy })),
    });

  const phrases = entries.map(({ title, keywords = '' }) => ({
    title: phraseOf(title),
    keywords: phraseOf(keywords),
  }));
  /** A title that is the query, or words that stand together, rank above single words. */
  const phraseBoost = (/** @type {number} */ id, /** @type {string} */ phrase) => {
    const { title, keywords } = phrases[id] ?? { title: '', keywords: '' };
    if (title === phrase) return 4;
    return `${title} ${keywords}`.includes(phrase) ? 2 : 1;
  };

  return (query) => {
    const words = queryWordsOf(query);
    if (words.length === 0) return [];
    const phrase = phraseOf(query);
    let results = resultsOf(words, 'AND', false);
    if (results.length === 0) results = resultsOf(words, 'AND', true);
    if (results.length === 0) results = resultsOf(words, 'OR', true);
    const ranked = results
      .map((result) => ({ ...result, score: result.score * phraseBoost(result.id, phrase) }))
      .sort((a, b) => b.score - a.score);
    return groupsOf(
      ranked.slice(0, mostResults).map(({ id, terms }) => {
        const stems = new Set(terms.map(stemmer));
        const entry = /** @type {Entry} */ (entries[/** @type {number} */ (id)]);
        const matchOf = (/** @type {string} */ word) => {
          const stem = stemmer(word);
          return stems.has(stem) ? stem : undefined;
        };
        return { entry, snippet: snippetOf(entry.text, matchOf) };
      }),
    );
  };
}
