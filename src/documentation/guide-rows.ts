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

const isEmpty = ({ text, beside }: Row): boolean =>
  beside.length === 0 && text.every(({ type }) => type === 'space');

/** Whether the row has no text but its heading. */
const isOnlyHeading = ({ text }: Row): boolean =>
  text.every(({ type }) => type === 'space' || type === 'heading');

/** Whether the text does not continue the row, so that samples stay beside the text before them. */
function startsRow(token: Token, row: Row): boolean {
  if (token.type === 'space') return false;
  if (isHeading(token)) return token.depth === 2 || !isOnlyHeading(row);
  if (row.isFull || isWideTable(token)) return true;
  return row.beside.length > 0 && !isOnlyHeading(row);
}

/** Divides a guide into rows. A page without samples is one row. */
export function rowsOf(tokens: readonly Token[]): Row[] {
  const isSample = (token: Token): boolean => isSamples(token) || isCode(token);
  if (!tokens.some(isSample)) return [{ text: [...tokens], beside: [], isFull: false }];
  const rows: Row[] = [{ text: [], beside: [], isFull: false }];
  for (const token of tokens) {
    const last = rows.at(-1) as Row;
    const isNew = isSample(token) ? last.isFull : startsRow(token, last);
    const row = isNew ? { text: [], beside: [], isFull: isWideTable(token) } : last;
    if (isNew) rows.push(row);
    (isSample(token) ? row.beside : row.text).push(token);
  }
  return rows.filter((row) => !isEmpty(row));
}
