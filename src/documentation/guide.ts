import { Marked, type Token, type Tokens } from 'marked';

import { highlighted } from './highlight';
import { anchor, type PageContent, type Section } from './layout';
import { examplePrograms, type Links, pageNames, postmanPaths } from './links';
import { escapeText, Markup, markup } from '../shared/markup';
import { isSampleLanguage, renderSamples, type Sample, sampleLanguages } from './samples';

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
  const page = /(?:^|\/)([a-z-]+)(?:\.md)?$/.exec(file.toLowerCase())?.[1];
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
  csv: 'File',
  ndjson: 'File',
  xml: 'File',
};

/** Samples that follow each other without text between them. */
interface SamplesToken extends Tokens.Generic {
  type: 'samples';
  samples: Sample[];
  originals: Token[];
}

const isSamples = (token: Token | undefined): token is SamplesToken => token?.type === 'samples';

/** Joins adjacent samples in different languages into one token. */
function joinSamples(tokens: readonly Token[]): Token[] {
  const joined: Token[] = [];
  for (const token of tokens) {
    const last = joined.at(-1);
    if (token.type === 'space' && isSamples(last)) continue;
    const language = token.type === 'code' ? (token as Tokens.Code).lang : undefined;
    if (language === undefined || !isSampleLanguage(language)) {
      joined.push(token);
      continue;
    }
    const sample = { language, code: (token as Tokens.Code).text };
    if (isSamples(last) && !last.samples.some((each) => each.language === language)) {
      last.samples.push(sample);
      last.originals.push(token);
    } else joined.push({ type: 'samples', raw: token.raw, samples: [sample], originals: [token] });
  }
  // A single sample offers no choice of language.
  return joined.flatMap((token) =>
    isSamples(token) && token.samples.length === 1 ? token.originals : [token],
  );
}

function createMarked(
  { links, addressOfCode, adaptExample }: GuideContext,
  insertOf: (name: string) => Markup | undefined,
  uniqueId: (id: string) => string,
): Marked {
  const marked = new Marked({ gfm: true });
  const linkedCode = (text: string): string => {
    const code = `<code>${escapeText(text)}</code>`;
    const address = addressOfCode(text);
    return address === undefined ? code : `<a href="${escapeText(address)}">${code}</a>`;
  };
  marked.use({
    extensions: [
      {
        name: 'samples',
        renderer: (token) =>
          renderSamples(
            (token as SamplesToken).samples.map(({ language, code }) => ({
              language,
              code: adaptExample(code),
            })),
            'Sample',
          ).text,
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
        return `<a href="${escapeText(addressOf(href, links))}">${this.parser.parseInline(tokens)}</a>`;
      },
      codespan: ({ text }) => linkedCode(text),
      code({ text, lang = '' }) {
        // Code blocks scroll on small screens, so the keyboard must reach them.
        const label = languageNames[lang];
        return markup`<figure class="code">${
          label === undefined ? undefined : markup`<figcaption>${label}</figcaption>`
        }<pre tabindex="0" role="group" aria-label="${label ?? 'Example'}"><code>${highlighted(adaptExample(text), lang)}</code></pre></figure>
`.text;
      },
      table({ header, rows }) {
        const cells = (row: readonly Tokens.TableCell[], tag: string) =>
          row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag.slice(0, 2)}>`).join('');
        const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('');
        return `<div class="table" tabindex="0" role="group" aria-label="Table: ${escapeText(header.map((cell) => plainText(cell)).join(', '))}"><table><thead><tr>${cells(header, 'th scope="col"')}</tr></thead><tbody>${body}</tbody></table></div>\n`;
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

function contentOf(marked: Marked, source: string): PageContent {
  const tokens = marked.lexer(source);
  const headings = tokens.filter((token): token is Tokens.Heading => token.type === 'heading');
  const title = headings.find(({ depth }) => depth === 1);
  if (!title) throw new Error('a guide has no title');
  const sections: Section[] = headings
    .filter(({ depth }) => depth === 2)
    .map((heading) => ({ id: headingId(plainText(heading)), title: plainText(heading) }));
  return { title: plainText(title), sections, body: new Markup(marked.parser(joinSamples(tokens))) };
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
