import { renderPage, type Site } from './layout';
import { linksFromPath } from './links';
import { markup } from '../shared/markup';

/**
 * The page that a browser gets for an unknown path.
 *
 * @param path the requested path; the links are relative to it
 */
export function renderNotFound(path: string, site: Site): string {
  const links = linksFromPath(path);
  const body = markup`<h1>Page not found</h1>
<p>No page or operation has this address. Check the spelling, or go to <a href="${links.page('start')}">the start of the documentation</a>.</p>
<p>The <a href="${links.page('reference')}">API reference</a> describes all operations.</p>`;
  return renderPage(undefined, { title: 'Not found', sections: [], body }, links, site);
}
