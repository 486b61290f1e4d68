import type { Router } from 'express';

import { bind, type EndpointDependencies } from '../../http/endpoint';
import { linksContract } from './links.contract';
import { writeLinkCursor } from './links.cursor';
import type { LinksStore } from './links.store';

/** Adds the operations of this module to the router of the API. */
export function linksRoutes(router: Router, http: EndpointDependencies, links: LinksStore): void {
  bind(router, http, linksContract.list).to(async ({ principal, query }) => {
    const page = await links.list(principal.environmentId, { limit: query.limit, after: query.cursor });
    return {
      status: 200,
      body: {
        data: page.links.map((link) => ({
          role: link.role,
          company_id: link.companyId,
          company_name: link.companyName,
          linked_at: link.linkedAt.toISOString(),
        })),
        has_more: page.next !== undefined,
        next_cursor: page.next ? writeLinkCursor(page.next) : null,
      },
    };
  });
}
