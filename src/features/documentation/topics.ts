import { anchor, type PageContent, type Section } from './layout';
import type { Links, PageName } from './links';
import { synonyms } from './search-words';
import { type Markup, markup } from '../../shared/markup';

function listOf(sections: readonly Section[], address: (id: string) => string): Markup | undefined {
  if (sections.length === 0) return undefined;
  return markup`<ul>${sections.map(
    ({ id, title }) => markup`<li><a href="${address(id)}">${title}</a></li>`,
  )}</ul>`;
}

/** All sections of all pages, for readers without the search. */
export function renderTopics(pages: ReadonlyMap<PageName, PageContent>, links: Links): PageContent {
  const words = Object.entries(synonyms).toSorted(([a], [b]) => a.localeCompare(b));
  return {
    title: 'All topics',
    sections: [{ id: 'other-words', title: 'Other words' }],
    body: markup`<div class="row full"><div class="prose"><h1>All topics</h1>
<p>Every section of this documentation. To find a word, use the search of your browser.</p>
<ul class="topics">${[...pages].map(
      ([name, { title, sections }]) =>
        markup`<li><a href="${links.page(name)}">${title}</a>${listOf(sections, (id) => links.page(name, id))}</li>
`,
    )}</ul>
<h2 id="other-words">Other words${anchor('other-words', 'Other words')}</h2>
<p>For the word on the left, this documentation uses the word on the right.</p>
<dl class="other-words">${words.map(
      ([word, used]) => markup`<div><dt>${word}</dt><dd>${used.join(', ')}</dd></div>`,
    )}</dl></div></div>`,
  };
}
