import { type Links, type PageName, referencePages, sdkPages } from './links';
import { groupOfPage } from './reference-groups';
import { sdkPageTitles } from './sdk-reference/sdk-page-titles';
import { type Markup, markup } from '../../shared/markup';
import { breakable } from './text';

/** A section that the navigation or the outline links to. */
export interface Section {
  id: string;
  title: string;
}

interface Entry {
  page: PageName;
  title: string;
  /** The pages below it, shown while the reader is on it or on one of them. */
  within?: readonly Entry[];
}

/** The pages in the navigation, by group. */
const navigation: readonly { title: string; entries: readonly Entry[] }[] = [
  {
    title: 'Guides',
    entries: [
      { page: 'start', title: 'Start here' },
      { page: 'sdk', title: 'SDK hosts' },
      { page: 'typescript-sdk', title: 'TypeScript SDK' },
      { page: 'bank', title: 'Partner banks' },
      { page: 'events', title: 'Events' },
      { page: 'webhooks', title: 'Receive webhooks' },
      { page: 'statements', title: 'Bank statements' },
      { page: 'month-end', title: 'Month-end close for a bank' },
      { page: 'what-arrived', title: 'Reconciliation for a company' },
      { page: 'credentials', title: 'Credentials and environments' },
      { page: 'sandbox', title: 'Sandbox' },
      { page: 'conformance', title: 'Conformance' },
    ],
  },
  {
    title: 'Reference',
    entries: [
      {
        page: 'reference',
        title: 'API reference',
        within: referencePages.map((page) => ({ page, title: groupOfPage(page).title })),
      },
      {
        page: 'sdk-reference',
        title: sdkPageTitles['sdk-reference'],
        within: sdkPages.slice(1).map((page) => ({ page, title: sdkPageTitles[page] })),
      },
      { page: 'errors', title: 'Errors' },
      { page: 'limits', title: 'Limits and timeouts' },
      { page: 'changelog', title: 'Changelog' },
      { page: 'topics', title: 'All topics' },
    ],
  },
];

const isOn = (current: PageName | undefined, { page, within = [] }: Entry): boolean =>
  page === current || within.some((entry) => isOn(current, entry));

/** Links to the sections of a page. */
export function renderSectionList(sections: readonly Section[]): Markup | undefined {
  return sections.length === 0
    ? undefined
    : markup`<ul>${sections.map(({ id, title }) => markup`<li><a href="#${id}">${breakable(title)}</a></li>`)}</ul>`;
}

/**
 * The links to all pages.
 *
 * @param sections of the current page, to list them below its link
 */
export function renderNavigation(
  current: PageName | undefined,
  sections: readonly Section[],
  links: Links,
): Markup {
  const list = (entries: readonly Entry[]): Markup => markup`<ul>${entries.map(item)}</ul>`;
  const item = (entry: Entry): Markup => {
    const { page, title, within = [] } = entry;
    const mark = page === current ? markup` aria-current="page"` : undefined;
    return markup`<li><a href="${links.page(page)}"${mark}>${title}</a>${
      within.length > 0 && isOn(current, entry) ? list(within) : undefined
    }${page === current && page !== 'reference' ? renderSectionList(sections) : undefined}</li>`;
  };
  return markup`${navigation.map(
    ({ title, entries }) => markup`<p class="navigation-title">${title}</p>${list(entries)}`,
  )}`;
}

/** The sections of a page. */
export function renderOutline(sections: readonly Section[]): Markup | undefined {
  return sections.length < 2
    ? undefined
    : markup`<nav class="outline" aria-label="On this page"><p>On this page</p>${renderSectionList(sections)}</nav>`;
}

const inOrder = (entries: readonly Entry[]): Entry[] =>
  entries.flatMap((entry) => [entry, ...inOrder(entry.within ?? [])]);

/** The links to the previous and to the next page. */
export function renderPager(current: PageName, links: Links): Markup {
  const all = inOrder(navigation.flatMap(({ entries }) => entries));
  const at = all.findIndex(({ page }) => page === current);
  const link = (entry: Entry | undefined, name: string, rel: string): Markup | undefined =>
    entry &&
    markup`<a href="${links.page(entry.page)}" rel="${rel}"><small>${name}</small> ${entry.title}</a>`;
  return markup`<nav class="pager" aria-label="Previous and next page">${link(all[at - 1], 'Previous', 'prev')}${
    at < 0 ? undefined : link(all[at + 1], 'Next', 'next')
  }</nav>`;
}
