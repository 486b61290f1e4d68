import { type Links, type PageName } from './links';
import { type Markup, markup } from '../shared/markup';

/** A section that the navigation links to. */
export interface Section {
  id: string;
  title: string;
  /** The sections within it. */
  sections?: readonly Section[];
}

/** The content of a page, without its frame. */
export interface PageContent {
  title: string;
  sections: readonly Section[];
  body: Markup;
  /** Whether the text has a column of examples beside it. */
  isWide?: boolean;
}

/** A link from a heading to itself, to copy its address. */
export const anchor = (id: string, title: string): Markup =>
  markup`<a class="anchor" href="#${id}" aria-label="Link to “${title}”">#</a>`;

const serviceName = 'Contribution and Project Integration Service';

/** The pages in the navigation, by group. */
const navigation: readonly { title: string; pages: readonly (readonly [PageName, string])[] }[] = [
  {
    title: 'Guides',
    pages: [
      ['start', 'Start here'],
      ['sdk', 'SDK hosts'],
      ['bank', 'Partner banks'],
      ['events', 'Events'],
      ['webhooks', 'Receive webhooks'],
      ['statements', 'Bank statements'],
      ['month-end', 'Month-end close for a bank'],
      ['what-arrived', 'Reconciliation for a company'],
      ['credentials', 'Credentials and environments'],
      ['sandbox', 'Sandbox'],
      ['conformance', 'Conformance'],
    ],
  },
  {
    title: 'Reference',
    pages: [
      ['reference', 'API reference'],
      ['errors', 'Errors'],
      ['limits', 'Limits and timeouts'],
      ['changelog', 'Changelog'],
      ['topics', 'All topics'],
    ],
  },
];

function sectionList(sections: readonly Section[]): Markup | undefined {
  if (sections.length === 0) return undefined;
  return markup`<ul>${sections.map(
    ({ id, title, sections: within = [] }) =>
      markup`<li><a href="#${id}">${title}</a>${sectionList(within)}</li>`,
  )}</ul>`;
}

function navigationList(current: PageName | undefined, sections: readonly Section[], links: Links): Markup {
  const entry = ([name, title]: readonly [PageName, string]) =>
    name === current
      ? markup`<li><a href="${links.page(name)}" aria-current="page">${title}</a>${sectionList(sections)}</li>`
      : markup`<li><a href="${links.page(name)}">${title}</a></li>`;
  return markup`${navigation.map(
    ({ title, pages }) => markup`<p class="navigation-title">${title}</p><ul>${pages.map(entry)}</ul>`,
  )}<ul><li><a href="${links.openApi}">OpenAPI document</a></li></ul>`;
}

/**
 * A complete page: a skip link, the navigation (beside the text, or folded above it on a small
 * screen) and the content. It has no inline style, script or handler, because the content security
 * policy blocks them.
 *
 * @param page undefined for a page that is not in the navigation
 */
export function renderPage(
  page: PageName | undefined,
  { title, sections, body, isWide = false }: PageContent,
  links: Links,
  version: string,
): string {
  const list = navigationList(page, sections, links);
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${serviceName}</title>
<link rel="icon" href="${links.asset('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${links.asset('style.css')}">
<script type="module" src="${links.asset('documentation.js')}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="banner">
<a class="brand" href="${links.page('start')}">${serviceName}</a>
<form class="search" role="search" hidden>
<label class="unseen" for="search">Search the documentation</label>
<input id="search" type="search" placeholder="Search" autocomplete="off" spellcheck="false">
<p class="unseen" role="status"></p>
<ul class="results" hidden></ul>
</form>
<noscript><a href="${links.page('topics')}">All topics</a></noscript>
<span class="version">Version ${version}</span>
</header>
<div class="columns">
<nav class="folded" aria-label="Documentation, folded"><details><summary>All pages</summary>${list}</details></nav>
<nav class="beside" aria-label="Documentation">${list}</nav>
<main id="content" tabindex="-1"${isWide ? markup` class="wide"` : undefined}>
${body}
</main>
</div>
</body>
</html>
`.text;
}
