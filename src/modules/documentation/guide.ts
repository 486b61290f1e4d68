import { Marked, type Tokens } from 'marked';

import type { PageContent, Section } from './layout';
import { type Links, pageNames } from './links';
import { escapeText, Markup, markup } from './markup';

/** What a guide needs to know of the service that serves it. */
export interface GuideSurroundings {
  links: Links;
  /** Where a piece of code leads: the entry of an error code, the description of an operation. */
  addressOfCode: (code: string) => string | undefined;
  /** Makes an example fit this service: its address, and a demo's credentials. */
  fitExample: (code: string) => string;
}

/** What stands where a guide says <!-- name -->. */
export type Inserts = Readonly<Record<string, Markup>>;

export interface GuideRenderer {
  /**
   * A guide as a page.
   *
   * @param source Markdown; its one heading of the first level is the title
   * @throws Error when the guide has no title, a link that leads nowhere, or HTML of its own
   */
  page: (source: string, inserts?: Inserts) => PageContent;
  /** A sentence with `code` and links in it, as the tables of the program have them. */
  sentence: (text: string) => Markup;
}

/** As repositories make the fragments of headings, so that links between guides work there too. */
export function headingId(title: string): string {
  return title
    .toLowerCase()
    .replace(/<[^>]+>|[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

const plainText = (heading: Tokens.Heading): string => heading.text.replace(/[`*]/g, '');

/** A link of a guide's source, which leads to a neighbouring file, as the address on the served pages. */
function addressOf(href: string, links: Links): string {
  if (/^(https?:|mailto:|#)/.test(href)) return href;
  const [, file = '', fragment] = /^([^#]*)(?:#(.*))?$/.exec(href) ?? [];
  if (file.endsWith('openapi.json')) return links.openApi;
  const page = /(?:^|\/)([a-z]+)(?:\.md)?$/.exec(file.toLowerCase())?.[1];
  const name = pageNames.find((candidate) => candidate === page);
  if (name === undefined) throw new Error(`a guide links to ${href}, which is not served`);
  return links.page(name, fragment);
}

const languageNames: Readonly<Record<string, string>> = {
  sh: 'curl',
  ts: 'TypeScript',
  json: 'JSON',
  text: 'Output',
  http: 'Headers',
};

function createMarked(
  { links, addressOfCode, fitExample }: GuideSurroundings,
  insertOf: (name: string) => Markup | undefined,
): Marked {
  const marked = new Marked({ gfm: true });
  const linkedCode = (text: string): string => {
    const code = `<code>${escapeText(text)}</code>`;
    const address = addressOfCode(text);
    return address === undefined ? code : `<a href="${escapeText(address)}">${code}</a>`;
  };
  marked.use({
    renderer: {
      heading(token) {
        const content = this.parser.parseInline(token.tokens);
        if (token.depth === 1) return `<h1>${content}</h1>\n`;
        const id = headingId(plainText(token));
        return `<h${token.depth} id="${id}">${content}</h${token.depth}>\n`;
      },
      link({ href, tokens }) {
        return `<a href="${escapeText(addressOf(href, links))}">${this.parser.parseInline(tokens)}</a>`;
      },
      codespan: ({ text }) => linkedCode(text),
      code({ text, lang = '' }) {
        // Code scrolls within itself on a small screen, so it must be reachable by the keyboard.
        const label = languageNames[lang];
        return markup`<figure class="code">${
          label === undefined ? undefined : markup`<figcaption>${label}</figcaption>`
        }<pre tabindex="0"><code>${fitExample(text)}</code></pre></figure>
`.text;
      },
      table({ header, rows }) {
        const cells = (row: readonly Tokens.TableCell[], tag: string) =>
          row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag.slice(0, 2)}>`).join('');
        const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('');
        return `<div class="table" tabindex="0" role="group" aria-label="Table"><table><thead><tr>${cells(header, 'th scope="col"')}</tr></thead><tbody>${body}</tbody></table></div>\n`;
      },
      html({ text }) {
        const insert = insertOf(/^<!--\s*([a-z-]+)\s*-->\s*$/.exec(text)?.[1] ?? '');
        if (!insert) throw new Error(`a guide holds HTML that is not known: ${text}`);
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
  return { title: plainText(title), sections, body: new Markup(marked.parser(tokens)) };
}

/** Turns what is written in Markdown into what one page shows. */
export function createGuideRenderer(surroundings: GuideSurroundings): GuideRenderer {
  let current: Inserts = {};
  const marked = createMarked(surroundings, (name) => current[name]);
  return {
    page(source, inserts = {}) {
      current = inserts;
      return contentOf(marked, source);
    },
    sentence: (text) => new Markup(marked.parseInline(text) as string),
  };
}
