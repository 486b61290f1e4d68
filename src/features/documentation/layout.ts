import type { Links, PageName } from './links';
import { renderNavigation, renderOutline, renderPager, renderSectionList, type Section } from './navigation';
import { listIcon, menuIcon, searchIcon, sign } from './icons';
import { type Markup, markup } from '../../shared/markup';
import { descriptionOf } from './text';

export { renderOutline, type Section };

/** The content of a page, without its frame. */
export interface PageContent {
  title: string;
  sections: readonly Section[];
  body: Markup;
  /** Whether the navigation lists the sections, too. */
  listsSections?: boolean;
}

/** What every page shows about the service. */
export interface Site {
  version: string;
  /** The name in titles and beside the sign. */
  productName: string;
}

/** A link from a heading to itself, to copy its address. */
export const anchor = (id: string, title: string): Markup =>
  markup`<a class="anchor" href="#${id}" aria-label="Link to “${title}”">#</a>`;

/** The list of pages on a small screen, the search, and the outline, on every part of the page. */
function renderBar(list: Markup, brand: Markup, sections: readonly Section[], links: Links): Markup {
  return markup`<header class="bar">
<nav class="navigation folded" aria-label="Documentation, folded"><details class="menu"><summary class="button slim">${menuIcon}<span>Menu</span></summary><div>${list}</div></details></nav>
${brand}
<form class="search" role="search" hidden>
<label class="unseen" for="search">Search the documentation</label>
${searchIcon}<input id="search" type="search" placeholder="Search the documentation" autocomplete="off" spellcheck="false"><kbd aria-hidden="true">/</kbd>
<p class="unseen" role="status"></p>
<ul class="results" hidden></ul>
</form>
<noscript><a href="${links.page('topics')}">All topics</a></noscript>
${
  sections.length < 2
    ? undefined
    : markup`<details class="menu outline-menu"><summary class="button slim">${listIcon}<span>On this page</span></summary>${renderSectionList(sections)}</details>`
}
</header>`;
}

/**
 * A complete page: a skip link, the navigation (beside the text, or folded above it on a small
 * screen), the content, and links to the previous and next page. It has no inline style, script or
 * handler, because the content security policy blocks them.
 *
 * @param page undefined for a page that is not in the navigation
 */
export function renderPage(
  page: PageName | undefined,
  { title, sections, body, listsSections = false }: PageContent,
  links: Links,
  { version, productName }: Site,
): string {
  const list = renderNavigation(page, listsSections ? sections : [], links);
  const brand = (className: string): Markup =>
    markup`<a class="brand ${className}" href="${links.page('start')}">${sign}<span>${productName}</span></a>`;
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${productName}</title>
<meta name="description" content="${descriptionOf(body)}">
<link rel="icon" href="${links.asset('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${links.asset('documentation.css')}">
<script type="module" src="${links.asset('documentation.js')}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<div class="shell">
<div class="side">
<div class="side-in">
${brand('in-side')}
<nav class="navigation beside" aria-label="Documentation">${list}</nav>
</div>
</div>
<div class="work">
${renderBar(list, brand('in-bar'), sections, links)}
<main id="content" tabindex="-1">
${body}
${page && renderPager(page, links)}
</main>
<footer class="foot">Version ${version} · <a href="${links.openApi}">OpenAPI document</a></footer>
</div>
</div>
</body>
</html>
`.text;
}
