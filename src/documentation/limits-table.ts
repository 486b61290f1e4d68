import type { WriteText } from './errors-page';
import { type Markup, markup } from '../shared/markup';

/** A published limit with this service's value. */
export interface PublishedLimit {
  what: string;
  value: string;
  /** What happens beyond the limit. A `code` links to its entry. */
  beyond: string;
}

export interface LimitGroup {
  title: string;
  limits: readonly PublishedLimit[];
}

/** The tables on the limits page. */
export function renderLimits(groups: readonly LimitGroup[], write: WriteText): Markup {
  return markup`${groups.map(
    ({ title, limits }) => markup`<h3>${title}</h3>
<div class="table" tabindex="0" role="group" aria-label="${title}"><table><thead><tr><th scope="col">Limit</th><th scope="col">Value</th><th scope="col">Beyond the limit</th></tr></thead><tbody>${limits.map(
      ({ what, value, beyond }) =>
        markup`<tr><td>${write(what)}</td><td>${value}</td><td>${write(beyond)}</td></tr>`,
    )}</tbody></table></div>
`,
  )}`;
}
