import type { Routes } from '../../http/routes';
import { presentLink } from './link.field';
import { linksContract } from './links.contract';
import type { LinksStore } from './links.store';

/** Adds the operations of this module to the API. */
export function linksRoutes(routes: Routes, links: LinksStore): void {
  routes.bind(linksContract.list).to(async ({ principal, query }) => {
    const page = await links.list(principal.environmentId, { limit: query.limit, after: query.cursor });
    return { status: 200, body: { ...page, data: page.data.map(presentLink) } };
  });
}
