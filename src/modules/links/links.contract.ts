import { z } from 'zod';

import { endpoint } from '../../http/endpoint';
import { cursor, limit } from '../../http/request/fields';
import { linkRoles, readLinkCursor } from './links.cursor';

const link = z
  .strictObject({
    role: z.enum(linkRoles).meta({
      description:
        'The role of the other company. A `bank` completes your contributions. You complete those of a `company`.',
    }),
    company_id: z.uuid(),
    company_name: z.string(),
    linked_at: z.iso.datetime().meta({ description: 'When the link started' }),
  })
  .meta({ id: 'Link' });

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
        body: z.strictObject({
          data: z.array(link),
          has_more: z.boolean(),
          next_cursor: z.string().nullable(),
        }),
        example: {
          data: [
            {
              role: 'company',
              company_id: '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b',
              company_name: 'Brightside Apps',
              linked_at: '2026-11-01T08:00:00.000Z',
            },
          ],
          has_more: false,
          next_cursor: null,
        },
      },
    },
    errors: ['invalid_request'],
  }),
};
