import { renderPage, type Site } from './layout';
import { linksFromPath } from './links';
import { markup } from '../../shared/markup';

/**
 * The page that a browser gets for an unknown path.
 *
 * @param path the requested path; the links are relative to it
 */
export function renderNotFound(path: string, site: Site): string {
  const links = linksFromPath(path);
  const body = markup`<div class="row full"><div class="prose"><h1>Page not found</h1>
<p>No page or operation has this address. Check the spelling, or continue here:</p>
<ul>
<li><a href="${links.page('start')}">Start here</a> has a path for your role and your first request.</li>
<li><a href="${links.page('reference')}">API reference</a> describes all operations.</li>
<li><a href="${links.page('errors')}">Errors</a> explains the code of a response.</li>
<li><a href="${links.page('topics')}">All topics</a> lists every section of this documentation.</li>
</ul></div></div>`;
  return renderPage(undefined, { title: 'Not found', sections: [], body }, links, site);
}
