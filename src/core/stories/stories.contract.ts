import { z } from 'zod';

import { endpoint } from '../../http/contract';
import { pageSchema } from '../../http/response/page';
import { cursor, idInPath, limit } from '../../http/request/fields';
import { optionalUserHash, userHash } from '../users/user-hash.field';
import { readStoryCursor } from './stories.cursor';

const story = z
  .strictObject({
    story_id: z.int(),
    title: z.string(),
    body: z.string(),
    image_url: z.string().nullable(),
    published_at: z.iso.datetime(),
    is_viewed: z
      .boolean()
      .meta({ description: 'True if the user has viewed the story. False without `user_hash`' }),
  })
  .meta({ id: 'Story' });

export const storiesContract = {
  list: endpoint({
    operationId: 'listStories',
    method: 'get',
    path: '/company/integration/get/project/{project_id}/stories',
    summary: "List a project's stories",
    description: 'List published stories, newest first.',
    origin: 'addition',
    scope: 'projects:read',
    params: z.object({ project_id: idInPath('The project_id.') }),
    query: z.object({ user_hash: optionalUserHash, limit: limit(100), cursor: cursor(readStoryCursor) }),
    cachedWithout: 'user_hash',
    responses: {
      200: {
        description: 'A page of stories.',
        body: pageSchema(story),
        example: {
          data: [
            {
              story_id: 7,
              title: 'The pump is running',
              body: 'Since Tuesday there is water at the school gate.',
              image_url: null,
              published_at: '2026-09-01T10:00:00.000Z',
              is_viewed: false,
            },
          ],
          has_more: false,
          next_cursor: null,
        },
      },
    },
    errors: ['resource_not_found'],
  }),

  recordView: endpoint({
    operationId: 'recordStoryView',
    method: 'put',
    path: '/company/integration/stories/{story_id}/views',
    summary: 'Record a story view',
    description:
      'Record that a user viewed a story. The call is idempotent. For an archived story it succeeds without effect.',
    origin: 'addition',
    scope: 'projects:read',
    params: z.object({ story_id: idInPath('The story_id.') }),
    body: {
      schema: z.object({ user_hash: userHash }),
      accepts: ['json'],
      example: { user_hash: 'q2Zk1sV0uYc9rA7dT5xNfg==' },
    },
    responses: { 204: { description: 'The view is recorded.' } },
    errors: ['resource_not_found'],
  }),
};
