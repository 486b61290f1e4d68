import type MiniSearch from 'minisearch';

/** A section of a page. */
export interface Entry {
  page: string;
  title: string;
  /** The text without markup, examples and forms. */
  text: string;
  /** What readers search for when they need this section, to rank it above other sections. */
  keywords?: string;
  /** Below 1 for a page that repeats what other pages explain. */
  weight?: number;
  /** The address, relative to the index. */
  address: string;
}

/** A part of a section's text. A match is a word of the query. */
export type Snippet = { text: string; isMatch: boolean }[];

export interface Found {
  entry: Entry;
  snippet: Snippet;
}

/** The results on one page. */
export interface Group {
  page: string;
  found: Found[];
}

/** @returns the search for a query; the page of the best result comes first */
export function createSearch(
  library: typeof MiniSearch,
  stemmer: (word: string) => string,
  content: { entries: Entry[]; synonyms: Record<string, string[]> },
): (query: string) => Group[];
