import type { Entry } from './assets/search-engine';
import type { PageContent } from './layout';
import { isSdkPage, linksFromPath, type PageName } from './links';
import { keywords, synonyms } from './search-words';
import { plainText } from './text';

export const searchIndexPath = '/docs/assets/search.json';

/**
 * Removes examples, forms and folded lists. They repeat the text, and examples of a demo have
 * credentials.
 */
const withoutExamples = (html: string): string =>
  html.replace(/<(figure|form|details|noscript)\b.*?<\/\1>/gs, ' ').replace(/<a class="anchor".*?<\/a>/g, '');

/** The history repeats what guides explain, and so does the reference of the SDK. */
function weightOf(name: PageName): { weight?: number } {
  if (name === 'changelog') return { weight: 0.3 };
  return isSdkPage(name) ? { weight: 0.5 } : {};
}

/** The sections of a page: its introduction, and one for each heading with an id. */
export function searchEntriesOf(name: PageName, { title, body }: PageContent): Entry[] {
  const links = linksFromPath(searchIndexPath);
  const parts = withoutExamples(body.text).split(/(?=<h[23] id="|<section class="entry" id=")/);
  return parts.map((part) => {
    const [, id] = /^<\w+ (?:class="entry" )?id="([^"]*)"/.exec(part) ?? [];
    const [heading = '', sectionTitle = title] = /<(?:h[123])[^>]*>(.*?)<\/h[123]>/s.exec(part) ?? [];
    const own = keywords[id === undefined ? name : `${name}#${id}`];
    return {
      page: title,
      title: plainText(sectionTitle),
      text: plainText(part.replace(heading, '')),
      ...(own !== undefined && { keywords: own }),
      ...weightOf(name),
      address: links.page(name, id),
    };
  });
}

/** The file that the search loads. */
export const searchIndexOf = (entries: readonly Entry[]): string => JSON.stringify({ synonyms, entries });
