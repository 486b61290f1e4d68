import type { PageContent } from './layout';
import { linksFromPath, type PageName } from './links';

/** A section of a page, as the search of the pages reads it. */
export interface SearchEntry {
  page: string;
  title: string;
  /** The text without markup, examples and forms. */
  text: string;
  /** Words that readers search for when they need this section, to rank it above other sections. */
  keywords?: string;
  /** The address, relative to the index. */
  address: string;
}

export const searchIndexPath = '/docs/assets/search.json';

/** The keywords of sections, by page and id. */
export const keywords: Readonly<Record<string, string>> = {
  'limits#rates': 'Retry-After RateLimit 429 too many requests throttling quota',
  'errors#rate_limited': 'Retry-After 429 too many requests',
};

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };

/**
 * Removes examples, forms and folded lists. They repeat the text, and examples of a demo have
 * credentials.
 */
const withoutExamples = (html: string): string =>
  html.replace(/<(figure|form|details|noscript)\b.*?<\/\1>/gs, ' ').replace(/<a class="anchor".*?<\/a>/g, '');

const plainText = (html: string): string =>
  html
    .replace(/<\/?(?:a|b|code|em|strong)\b[^>]*>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&(lt|gt|quot|#39|amp);/g, (_whole, name: string) => entities[name] ?? '')
    .replace(/\s+/g, ' ')
    .trim();

/** The sections of a page: its introduction, and one for each heading with an id. */
export function searchEntriesOf(name: PageName, { title, body }: PageContent): SearchEntry[] {
  const links = linksFromPath(searchIndexPath);
  const parts = withoutExamples(body.text).split(/(?=<h[23] id="|<section class="entry" id=")/);
  return parts.map((part) => {
    const [, id] = /^<\w+ (?:class="entry" )?id="([^"]*)"/.exec(part) ?? [];
    const [heading = '', sectionTitle = title] = /<(?:h[123])[^>]*>(.*?)<\/h[123]>/s.exec(part) ?? [];
    const own = keywords[`${name}#${id}`];
    return {
      page: title,
      title: plainText(sectionTitle),
      text: plainText(part.replace(heading, '')),
      ...(own !== undefined && { keywords: own }),
      address: links.page(name, id),
    };
  });
}
