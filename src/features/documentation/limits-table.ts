import type { WriteText } from './errors-page';
import { renderTable } from './table';
import { type Markup, markup } from '../../shared/markup';

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
  const columns = [{ name: 'Limit' }, { name: 'Value' }, { name: 'Beyond the limit' }];
  return markup`${groups.map(
    ({ title, limits }) => markup`<h3>${title}</h3>
${renderTable(
  columns,
  limits.map(({ what, value, beyond }) => [write(what), value, write(beyond)]),
)}`,
  )}`;
}
