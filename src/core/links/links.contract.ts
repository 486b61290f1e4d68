import { z } from 'zod';

import { endpoint } from '../../http/contract';
import { pageSchema } from '../../http/response/page';
import { cursor, limit } from '../../http/request/fields';
import { link, linkExample } from './link.field';
import { readLinkCursor } from './links.cursor';

export const linksContract = {
  list: endpoint({
    operationId: 'listLinks',
    method: 'get',
    path: '/company/integration/links',
    summary: 'List bank links',
    description:
      "List a bank's companies or a company's banks in this environment, oldest link first. Ended links are not listed.",
    origin: 'addition',
    scope: 'contributions:read',
    query: z.object({ limit: limit(100), cursor: cursor(readLinkCursor) }),
    responses: {
      200: {
        description: 'A page of links.',
        body: pageSchema(link),
        example: { data: [linkExample], has_more: false, next_cursor: null },
      },
    },
  }),
};
