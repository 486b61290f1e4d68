import { z } from 'zod';

import { endpoint } from '../../http/contract';
import { pageSchema } from '../../http/response/page';
import { cursor, idInPath, limit, dateFilter, requiredText, timestamp } from '../../http/request/fields';
import { optionalUserHash } from '../users/user-hash.field';
import { contribution, contributionExample } from './contribution-response.fields';
import { contributionStatuses } from './contribution-status.field';
import { companyId, idempotencyKey } from './contribution.fields';
import { cursorOfTheseFilters } from './list-cursor.field';
import { readPageCursor } from './contributions.cursor';

export const listContributions = endpoint({
  operationId: 'listContributions',
  method: 'get',
  path: '/company/integration/contributions',
  summary: 'List contributions',
  description:
    "List your company's contributions, or those that your bank completes, oldest first. With `completed_from` or `completed_to`, the list contains completed contributions in order of completion. Otherwise it is in order of creation. Times are UTC; `_from` is inclusive and `_to` is exclusive. After a lost response, filter by `idempotency_key` or `user_hash` to find the contribution. The operation rejects unknown parameters, because a mistyped filter would return too many contributions. A page may have fewer rows than `limit` even if `has_more` is true. Send `cursor` with exactly the filters of the first page; different filters are rejected. The list contains every contribution that was created or, in order of completion, completed before `complete_until`. Use `complete_until` as the next `created_from` or `completed_from`, so that you miss nothing.",
  origin: 'addition',
  scope: 'contributions:read',
  // Overrides the class of the scope, because a page may read thousands of rows per environment.
  trafficClass: 'lists',
  query: z
    .strictObject({
      status: z.enum(contributionStatuses, { error: 'Send pending or completed.' }).optional(),
      created_from: timestamp('Return contributions created at or after this time.'),
      created_to: timestamp('Return contributions created before this time.'),
      completed_from: timestamp('Return contributions completed at or after this time.'),
      completed_to: timestamp('Return contributions completed before this time.'),
      project_id: idInPath('Return only contributions to this project.').optional(),
      company_id: companyId,
      bank_reference: requiredText(
        140,
        'Return only contributions that were completed with exactly this `bank_reference`.',
      ).optional(),
      value_date: dateFilter('Return only contributions that were completed with this `value_date`.'),
      user_hash: optionalUserHash,
      idempotency_key: idempotencyKey,
      limit: limit(100),
      cursor: cursor(readPageCursor),
    })
    .superRefine(cursorOfTheseFilters),
  responses: {
    200: {
      description: 'A page of contributions.',
      body: pageSchema(contribution).extend({
        complete_until: z.iso.datetime().meta({
          description:
            'The list contains every contribution that was created or, in order of completion, completed before this time. The first page sets this value, and later pages repeat it.',
        }),
      }),
      example: {
        data: [contributionExample],
        has_more: false,
        next_cursor: null,
        complete_until: '2026-11-20T10:00:00.000Z',
      },
    },
  },
});
