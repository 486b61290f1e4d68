import { Marked, type Tokens } from 'marked';

import {
  type CardsToken,
  isRequest,
  joinCards,
  joinSamples,
  type Row,
  rowsOf,
  type SamplesToken,
} from './guide-rows';
import { anchor, type PageContent, renderOutline, type Section } from './layout';
import { examplePrograms, type Links, pageNames, postmanPaths } from './links';
import { renderTable } from './table';
import { escapeText, Markup, markup } from '../../shared/markup';
import { renderBlock, renderSamples } from './sample-figure';
import { sampleLanguages } from './samples';

/** The parts of a guide that depend on the service and on the page. */
export interface GuideContext {
  links: Links;
  /** The link target of inline code: an error code's entry or an operation's description. */
  addressOfCode: (code: string) => string | undefined;
  /** Replaces the base URL, and the credentials in a demo. */
  adaptExample: (code: string) => string;
}

/** Replacements for <!-- name --> in a guide. */
export type Inserts = Readonly<Record<string, Markup>>;

export interface GuideRenderer {
  /**
   * Renders a guide as a page.
   *
   * @param source Markdown; its one heading of the first level is the title
   * @throws Error when the guide has no title, a broken link, or HTML
   */
  page: (source: string, inserts?: Inserts) => PageContent;
  /** Renders a sentence with `code` and links. */
  sentence: (text: string) => Markup;
}

/** Builds a heading's fragment as GitHub does, so that links between guides work there too. */
function headingId(title: string): string {
  return title
    .toLowerCase()
    .replace(/<[^>]+>|[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

const plainText = ({ text }: { text: string }): string => text.replace(/[`*]/g, '');

/** Converts a guide's link to a file into a link between served pages. */
function addressOf(href: string, links: Links): string {
  if (/^(https?:|mailto:|#)/.test(href)) return href;
  const [, file = '', fragment] = /^([^#]*)(?:#(.*))?$/.exec(href) ?? [];
  if (file.endsWith('openapi.json')) return links.openApi;
  if (Object.values<string>(postmanPaths).includes(file)) return links.root + file.slice(1);
  const example = examplePrograms.find((name) => file === `examples/${name}`);
  if (example !== undefined) return links.example(example);
  const page = file.endsWith('sdk/README.md')
    ? 'typescript-sdk'
    : /(?:^|\/)([a-z-]+)(?:\.md)?$/.exec(file.toLowerCase())?.[1];
  const name = pageNames.find((candidate) => candidate === page);
  if (name === undefined) throw new Error(`a guide links to ${href}, which the service does not serve`);
  return links.page(name, fragment);
}

const languageNames: Readonly<Record<string, string>> = {
  ...sampleLanguages,
  json: 'JSON',
  shell: 'Shell',
  javascript: 'JavaScript',
  text: 'Output',
  http: 'Headers',
  // Samples of files that the reader sends.
  csv: 'CSV file',
  ndjson: 'JSON lines',
  xml: 'XML file',
};

/** The name of a block of code. A shell sample that sends no request is not named after curl. */
function labelOf(language: string, code: string): string | undefined {
  if (isRequest(code)) return 'Request';
  if (language === 'sh' && (code.startsWith('export ') || !/\b(?:call|curl|create) /.test(code)))
    return 'Shell';
  return languageNames[language];
}

function renderSamplesToken(
  { samples, answers }: SamplesToken,
  adapt: (code: string) => string,
  name: string,
): Markup {
  const [first] = samples;
  return renderSamples(
    samples.map(({ language, code }) => ({ language, code: adapt(code) })),
    {
      title: 'Sample',
      name,
      ...(first && samples.length === 1 && { label: labelOf(first.language, first.code) ?? first.language }),
      answers: answers.map(({ language, text, of }) => ({
        label: language === 'json' ? 'Response' : 'Output',
        language,
        text: adapt(text),
        of,
      })),
    },
  );
}

/** The length of code that fits on a line of a small phone. */
const mostOnOneLine = 24;

/** Keeps a short word of code, or a request, on one line. Most code has no place to break. */
function classOf(code: string): Markup | undefined {
  if (!/[\s/-]/.test(code)) return undefined;
  if (code.length <= mostOnOneLine) return markup` class="word"`;
  return isRequest(code) ? markup` class="request"` : undefined;
}

function createMarked(
  { links, addressOfCode, adaptExample }: GuideContext,
  insertOf: (name: string) => Markup | undefined,
  uniqueId: (id: string) => string,
): Marked {
  const marked = new Marked({ gfm: true });
  const linkedCode = (text: string): string => {
    const code = markup`<code${classOf(text)}>${text}</code>`.text;
    const address = addressOfCode(text);
    return address === undefined ? code : `<a href="${escapeText(address)}">${code}</a>`;
  };
  marked.use({
    extensions: [
      {
        name: 'samples',
        renderer: (token) =>
          renderSamplesToken(token as SamplesToken, adaptExample, uniqueId('sample-tabs')).text,
      },
      {
        name: 'cards',
        renderer(token) {
          const cards = (token as CardsToken).cards.map(
            (tokens) => markup`<section class="card">${new Markup(this.parser.parse(tokens))}</section>`,
          );
          return markup`<div class="cards">${cards}</div>`.text;
        },
      },
    ],
    renderer: {
      heading(token) {
        const content = this.parser.parseInline(token.tokens);
        if (token.depth === 1) return `<h1>${content}</h1>\n`;
        const id = uniqueId(headingId(plainText(token)));
        return `<h${token.depth} id="${id}">${content}${anchor(id, plainText(token)).text}</h${token.depth}>\n`;
      },
      link({ href, tokens }) {
        // Code in a link is no link of its own.
        const content = this.parser.parseInline(tokens).replace(/<\/?a\b[^>]*>/g, '');
        return `<a href="${escapeText(addressOf(href, links))}">${content}</a>`;
      },
      codespan: ({ text }) => linkedCode(text),
      code: ({ text, lang = '' }) => renderBlock(labelOf(lang, text), adaptExample(text), lang).text,
      table(token) {
        const write = ({ tokens }: Tokens.TableCell) => new Markup(this.parser.parseInline(tokens));
        const columns = token.header.map((cell) => ({ name: plainText(cell), head: write(cell) }));
        return renderTable(
          columns,
          token.rows.map((row) => row.map(write)),
        ).text;
      },
      html({ text }) {
        const insert = insertOf(/^<!--\s*([a-z-]+)\s*-->\s*$/.exec(text)?.[1] ?? '');
        if (!insert) throw new Error(`a guide contains unknown HTML: ${text}`);
        return insert.text;
      },
    },
  });
  return marked;
}

/** A row of the page, with the outline beside the first one. */
function renderRow(
  marked: Marked,
  { text, beside, after, isFull }: Row,
  { outline, isOnly }: { outline: Markup | undefined; isOnly: boolean },
): Markup {
  const [first] = text;
  const hasBeside = beside.length > 0 || outline !== undefined;
  const kinds = [
    'row',
    ...(isFull || !(hasBeside || isOnly) ? ['full'] : []),
    ...(isOnly ? ['plain'] : []),
    ...(after.length > 0 ? ['continued'] : []),
    ...(first?.type === 'heading' && first['depth'] === 2 ? ['chapter'] : []),
  ];
  return markup`<div class="${kinds.join(' ')}">
<div class="prose">
${new Markup(marked.parser(text))}</div>
${hasBeside ? markup`<div class="beside">${outline}${new Markup(marked.parser(beside))}</div>` : undefined}
${
  after.length > 0
    ? markup`<div class="prose">
${new Markup(marked.parser(after))}</div>`
    : undefined
}
</div>
`;
}

function contentOf(marked: Marked, source: string): PageContent {
  const tokens = marked.lexer(source);
  const headings = tokens.filter((token): token is Tokens.Heading => token.type === 'heading');
  const title = headings.find(({ depth }) => depth === 1);
  if (!title) throw new Error('a guide has no title');
  const sections: Section[] = headings
    .filter(({ depth }) => depth === 2)
    .map((heading) => ({ id: headingId(plainText(heading)), title: plainText(heading) }));
  const rows = rowsOf(joinSamples(joinCards(tokens)));
  const body = markup`${rows.map((row, index) =>
    renderRow(marked, row, {
      outline: index === 0 ? renderOutline(sections) : undefined,
      isOnly: rows.length === 1,
    }),
  )}`;
  return { title: plainText(title), sections, body };
}

/** Renders the Markdown of one page. */
export function createGuideRenderer(context: GuideContext): GuideRenderer {
  let current: Inserts = {};
  let uses = new Map<string, number>();
  // A repeated heading gets "-1", "-2", as on GitHub.
  const uniqueId = (id: string): string => {
    const count = uses.get(id) ?? 0;
    uses.set(id, count + 1);
    return count === 0 ? id : `${id}-${count}`;
  };
  const marked = createMarked(context, (name) => current[name], uniqueId);
  return {
    page(source, inserts = {}) {
      current = inserts;
      uses = new Map();
      return contentOf(marked, source);
    },
    sentence: (text) => new Markup(marked.parseInline(text) as string),
  };
}
