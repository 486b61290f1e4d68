import type { WriteText } from './error-catalogue';
import { type Markup, markup } from './markup';

/** One published limit, with the number that this service runs with. */
export interface PublishedLimit {
  what: string;
  value: string;
  /** What happens beyond it; `code` is linked to its entry. */
  beyond: string;
}

export interface LimitGroup {
  title: string;
  limits: readonly PublishedLimit[];
}

/** The tables of the page of limits. */
export function renderLimits(groups: readonly LimitGroup[], write: WriteText): Markup {
  return markup`${groups.map(
    ({ title, limits }) => markup`<h3>${title}</h3>
<div class="table" tabindex="0" role="group" aria-label="${title}"><table><thead><tr><th scope="col">What</th><th scope="col">Limit</th><th scope="col">Beyond it</th></tr></thead><tbody>${limits.map(
      ({ what, value, beyond }) =>
        markup`<tr><td>${write(what)}</td><td>${value}</td><td>${write(beyond)}</td></tr>`,
    )}</tbody></table></div>
`,
  )}`;
}
