import { z } from 'zod';

import { conditional } from '../../http/conditional';
import { endpoint } from '../../http/endpoint';
import { cursor, flag, idInPath, limit, optionalUserHash } from '../../http/fields';
import { readProjectCursor } from './projects.cursor';

const dollars = { description: 'US dollars with two decimals', examples: ['12000.00'] };

/** The six fields of specification 2.1, then the additive ones. */
const project = z
  .strictObject({
    project_id: z.int(),
    project_name: z.string(),
    project_image_url: z.string(),
    is_supported: z.boolean().meta({ description: 'False without user_hash' }),
    has_stories: z.boolean(),
    has_unviewed_stories: z.boolean().meta({ description: 'The same as has_stories without user_hash' }),
    summary: z.string(),
    category: z.string().nullable(),
    country: z.string().nullable().meta({ description: 'ISO 3166-1 alpha-2' }),
    organization: z.string().nullable(),
    goal_amount: z.string().nullable().meta(dollars),
    raised_amount: z.string().meta({
      ...dollars,
      description:
        'US dollars with two decimals, by completed contributions: of all companies in production, of your own in test. About a minute late',
    }),
    supporters_count: z
      .int()
      .meta({ description: 'How many users have a completed contribution, counted like raised_amount' }),
    status: z.enum(['active', 'archived']),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Project' });

const highlight = z
  .strictObject({ title: z.string(), body: z.string(), image_url: z.string().nullable() })
  .meta({ id: 'Highlight' });

const example = {
  project_id: 1,
  project_name: 'Clean water for Kisumu',
  project_image_url: 'https://api.example.org/demo/pictures/water/clean-water-for-kisumu.svg',
  is_supported: false,
  has_stories: true,
  has_unviewed_stories: true,
  summary: 'Twelve boreholes with solar pumps for schools on the shore of Lake Victoria.',
  category: 'water',
  country: 'KE',
  organization: 'Lakeside Wells',
  goal_amount: '48000.00',
  raised_amount: '12750.00',
  supporters_count: 311,
  status: 'active',
  created_at: '2026-03-01T08:00:00.000Z',
  updated_at: '2026-03-01T08:00:00.000Z',
} as const;

export const projectsContract = {
  list: endpoint({
    operationId: 'listProjects',
    method: 'get',
    path: '/company/integration/get/projects',
    summary: 'List projects',
    description:
      'All active projects in editorial order. A caller that knows no paging sees the whole of a normal catalogue.',
    origin: 'specification 4.1',
    scope: 'projects:read',
    query: z.object({ user_hash: optionalUserHash, limit: limit(1000), cursor: cursor(readProjectCursor) }),
    isCatalogue: true,
    headers: z.object(conditional.requestHeaders),
    responses: {
      304: conditional.notModified,
      200: {
        description: 'One page.',
        headers: conditional.answerHeaders,
        body: z.strictObject({
          data: z.array(project),
          has_more: z.boolean(),
          next_cursor: z.string().nullable(),
        }),
        example: { data: [example], has_more: false, next_cursor: null },
      },
    },
    errors: ['invalid_request'],
  }),

  get: endpoint({
    operationId: 'getProject',
    method: 'get',
    path: '/company/integration/get/project/{project_id}',
    summary: 'Get one project',
    description: 'The full record; archived projects too.',
    origin: 'specification 4.2',
    scope: 'projects:read',
    params: z.object({ project_id: idInPath('Identifier of the project') }),
    query: z.object({
      highlights: flag('1 includes highlights, 0 does not'),
      description: flag('1 includes description, 0 does not'),
      user_hash: optionalUserHash,
    }),
    isCatalogue: true,
    headers: z.object(conditional.requestHeaders),
    responses: {
      304: conditional.notModified,
      200: {
        description: 'The project.',
        headers: conditional.answerHeaders,
        body: project.extend({
          highlights: z.array(highlight).optional().meta({ description: 'Only with highlights=1' }),
          description: z.string().optional().meta({ description: 'Only with description=1' }),
        }),
        example,
      },
    },
    errors: ['invalid_request', 'resource_not_found'],
  }),
};
