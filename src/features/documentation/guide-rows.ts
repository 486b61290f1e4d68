import type { Token, Tokens } from 'marked';

import { isSampleLanguage, type Sample, type SampleLanguage } from './samples';

/** What a sample prints or receives, as in the guide. */
interface Answer {
  language: string;
  text: string;
  of: readonly SampleLanguage[];
}

/** Samples that follow each other without text between them, and what they print. */
export interface SamplesToken extends Tokens.Generic {
  type: 'samples';
  samples: Sample[];
  answers: Answer[];
}

export const isSamples = (token: Token | undefined): token is SamplesToken => token?.type === 'samples';
const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading';
const isCode = (token: Token): token is Tokens.Code => token.type === 'code';

/** Text such as `PUT /links`: a request, not what a program prints. */
export const isRequest = (text: string): boolean => /^(GET|PUT|POST|PATCH|DELETE) \//.test(text);

/** Whether the code prints text of its own, instead of the response. */
function printsText({ language, code }: Sample): boolean {
  return language === 'sh'
    ? / -w |\| grep |echo /.test(code)
    : /\b(?:console\.log|print|process\.stdout\.write)\(/.test(code);
}

/** The samples whose answer this is: all for a response, those that print for their output. */
function languagesOf(answer: Tokens.Code, samples: readonly Sample[]): SampleLanguage[] {
  const printing = answer.lang === 'text' ? samples.filter(printsText) : [];
  return (printing.length > 0 ? printing : samples).map(({ language }) => language);
}

/** The sections after `<!-- cards -->` in a guide, shown side by side. */
export interface CardsToken extends Tokens.Generic {
  type: 'cards';
  cards: Token[][];
}

/** Joins the sections of the third level after each `<!-- cards -->` into one token. */
export function joinCards(tokens: readonly Token[]): Token[] {
  const joined: Token[] = [];
  for (const token of tokens) {
    const last = joined.at(-1);
    const depth = isHeading(token) ? token.depth : undefined;
    if (token.type === 'html' && token.raw.trim() === '<!-- cards -->')
      joined.push({ type: 'cards', raw: token.raw, cards: [] } satisfies CardsToken);
    else if (last?.type !== 'cards' || (depth !== undefined && depth < 3)) joined.push(token);
    else {
      const { cards } = last as CardsToken;
      if (depth === 3) cards.push([token]);
      else cards.at(-1)?.push(token);
    }
  }
  return joined;
}

const isAnswer = ({ lang, text }: Tokens.Code): boolean =>
  (lang === 'json' || lang === 'text') && !isRequest(text);

/** Joins adjacent samples in different languages, and their output, into one token. */
export function joinSamples(tokens: readonly Token[]): Token[] {
  const joined: Token[] = [];
  for (const token of tokens) {
    const last = joined.at(-1);
    if (token.type === 'space' && isSamples(last)) continue;
    if (!isCode(token)) joined.push(token);
    else if (isSamples(last) && isAnswer(token)) {
      const { lang: language = '', text } = token;
      last.answers.push({ language, text, of: languagesOf(token, last.samples) });
    } else if (token.lang !== undefined && isSampleLanguage(token.lang)) {
      const sample: Sample = { language: token.lang, code: token.text };
      const isNext =
        isSamples(last) &&
        last.answers.length === 0 &&
        !last.samples.some(({ language }) => language === sample.language);
      if (isNext) last.samples.push(sample);
      else joined.push({ type: 'samples', raw: token.raw, samples: [sample], answers: [] });
    } else joined.push(token);
  }
  return joined;
}

/** A part of a guide: text, with the samples that belong beside it. */
export interface Row {
  text: Token[];
  beside: Token[];
  /** The text that follows the samples and does not introduce the next one. */
  after: Token[];
  /** Whether the text needs the width of both columns. */
  isFull: boolean;
}

/** A table whose rows would be too narrow to read in the column of the text. */
function isWideTable(token: Token): boolean {
  if (token.type !== 'table') return false;
  const { header, rows } = token as Tokens.Table;
  const longest = Math.max(...rows.map((row) => row.map(({ text }) => text).join(' ').length));
  return header.length > 3 || (header.length === 3 && longest > 100);
}

const isEmpty = ({ text, beside, after }: Row): boolean => text.length + beside.length + after.length === 0;

/** Whether the row has no text but its heading. */
const isOnlyHeading = ({ text, after }: Row): boolean => after.length === 0 && text.every(isHeading);

/** Whether the text does not continue the row. */
function startsRow(token: Token, row: Row): boolean {
  if (isHeading(token)) return token.depth === 2 || !isOnlyHeading(row);
  return row.isFull || isWideTable(token) || isListAfterSamples(token, row);
}

/**
 * Whether a list follows the samples. It starts a row, because it would seem to belong to the colon
 * before the samples.
 */
const isListAfterSamples = ({ type }: Token, { beside, after }: Row): boolean =>
  type === 'list' && beside.length > 0 && after.length === 0;

/** The text that can move to the row of the next sample: a heading keeps its text. */
const looseText = ({ text, beside, after }: Row): Token[] =>
  beside.length > 0 || text.some(isHeading) ? after : text;

/** Takes the introduction of the next sample: the last paragraph, and what follows it. */
const takeIntroduction = (text: Token[]): Token[] =>
  text.splice(
    Math.max(
      text.findLastIndex(({ type }) => type === 'paragraph'),
      0,
    ),
  );

/** Divides a guide into rows. A page without samples is one row. */
export function rowsOf(tokens: readonly Token[]): Row[] {
  const isSample = (token: Token): boolean => isSamples(token) || isCode(token);
  const row = (parts: Partial<Row> = {}): Row => ({
    text: [],
    beside: [],
    after: [],
    isFull: false,
    ...parts,
  });
  if (!tokens.some(isSample)) return [row({ text: [...tokens] })];
  const rows = [row()];
  for (const token of tokens.filter(({ type }) => type !== 'space')) {
    const last = rows.at(-1) as Row;
    if (isSample(token)) {
      if (last.isFull) rows.push(row({ beside: [token] }));
      else if (looseText(last).length === 0) last.beside.push(token);
      else rows.push(row({ text: takeIntroduction(looseText(last)), beside: [token] }));
    } else if (startsRow(token, last)) rows.push(row({ text: [token], isFull: isWideTable(token) }));
    else if (last.beside.length > 0 && !isOnlyHeading(last)) last.after.push(token);
    else last.text.push(token);
  }
  return rows.filter((each) => !isEmpty(each));
}
