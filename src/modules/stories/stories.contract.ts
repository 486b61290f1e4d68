import { z } from 'zod';

import { conditional } from '../../http/conditional';
import { endpoint } from '../../http/endpoint';
import { cursor, idInPath, limit, optionalUserHash, userHash } from '../../http/fields';
import { readStoryCursor } from './stories.cursor';

const story = z
  .strictObject({
    story_id: z.int(),
    title: z.string(),
    body: z.string(),
    image_url: z.string().nullable(),
    published_at: z.iso.datetime(),
    is_viewed: z.boolean().meta({ description: 'Whether this user has seen it; false without user_hash' }),
  })
  .meta({ id: 'Story' });

export const storiesContract = {
  list: endpoint({
    operationId: 'listStories',
    method: 'get',
    path: '/company/integration/get/project/{project_id}/stories',
    summary: "List a project's stories",
    description: 'Published stories, newest first.',
    origin: 'addition',
    scope: 'projects:read',
    params: z.object({ project_id: idInPath('Identifier of the project') }),
    query: z.object({ user_hash: optionalUserHash, limit: limit(100), cursor: cursor(readStoryCursor) }),
    isCatalogue: true,
    headers: z.object(conditional.requestHeaders),
    responses: {
      304: conditional.notModified,
      200: {
        description: 'One page.',
        headers: conditional.answerHeaders,
        body: z.strictObject({
          data: z.array(story),
          has_more: z.boolean(),
          next_cursor: z.string().nullable(),
        }),
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
    errors: ['invalid_request', 'resource_not_found'],
  }),

  recordView: endpoint({
    operationId: 'recordStoryView',
    method: 'put',
    path: '/company/integration/stories/{story_id}/views',
    summary: 'Record that a user has seen a story',
    description:
      'Idempotent: however often it is sent, the user has seen the story once. Of an archived story it succeeds without effect.',
    origin: 'addition',
    scope: 'projects:read',
    params: z.object({ story_id: idInPath('Identifier of the story') }),
    body: {
      schema: z.object({ user_hash: userHash }),
      accepts: ['json'],
      example: { user_hash: 'q2Zk1sV0uYc9rA7dT5xNfg==' },
    },
    responses: { 204: { description: 'Recorded, now or before.' } },
    errors: [
      'invalid_request',
      'malformed_body',
      'body_too_large',
      'unsupported_media_type',
      'resource_not_found',
    ],
  }),
};
