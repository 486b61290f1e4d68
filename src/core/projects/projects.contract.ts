import { z } from 'zod';

import { endpoint } from '../../http/contract';
import { pageSchema } from '../../http/response/page';
import { cursor, flag, idInPath, limit } from '../../http/request/fields';
import { optionalUserHash } from '../users/user-hash.field';
import { storedFields } from './project.fields';
import { readProjectCursor } from './projects.cursor';

const dollars = { description: 'Amount in US dollars, with two decimals', examples: ['12000.00'] };

/** The six fields of specification 2.1, then this service's additions. */
const project = z
  .strictObject({
    project_id: z.int(),
    project_name: z.string(),
    project_image_url: z.string(),
    is_supported: z
      .boolean()
      .meta({ description: 'True if the user supports this project. False without `user_hash`' }),
    has_stories: z.boolean(),
    has_unviewed_stories: z.boolean().meta({
      description:
        'True if the user has not viewed all stories of this project. Equals `has_stories` without `user_hash`',
    }),
    ...storedFields,
    goal_amount: z.string().nullable().meta(dollars),
    raised_amount: z.string().meta({
      ...dollars,
      description:
        'Sum of completed contributions minus returns, in US dollars with two decimals. In production it includes all companies; in test, only your own environment. Updates take about a minute',
    }),
    supporters_count: z.int().meta({
      description: 'Number of users who support the project, from the same environments as `raised_amount`',
    }),
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
      'List active projects in the order that the operator chose. The default `limit` fits a normal catalogue in one page.',
    origin: 'specification 4.1',
    scope: 'projects:read',
    query: z.object({ user_hash: optionalUserHash, limit: limit(1000), cursor: cursor(readProjectCursor) }),
    cachedWithout: 'user_hash',
    responses: {
      200: {
        description: 'A page of projects.',
        body: pageSchema(project),
        example: { data: [example], has_more: false, next_cursor: null },
      },
    },
  }),

  get: endpoint({
    operationId: 'getProject',
    method: 'get',
    path: '/company/integration/get/project/{project_id}',
    summary: 'Get a project',
    description: 'Get the full record of a project. Archived projects are included.',
    origin: 'specification 4.2',
    scope: 'projects:read',
    params: z.object({ project_id: idInPath('The project_id.') }),
    query: z.object({
      highlights: flag('Send 1 to include `highlights`.'),
      description: flag('Send 1 to include `description`.'),
      user_hash: optionalUserHash,
    }),
    cachedWithout: 'user_hash',
    responses: {
      200: {
        description: 'The project.',
        body: project.extend({
          highlights: z.array(highlight).optional().meta({ description: 'Present only with `highlights=1`' }),
          description: z.string().optional().meta({ description: 'Present only with `description=1`' }),
        }),
        example,
      },
    },
    errors: ['resource_not_found'],
  }),
};
