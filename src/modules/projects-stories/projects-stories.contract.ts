import { z } from 'zod';

import { conditional } from '../../http/conditional';
import { endpoint } from '../../http/endpoint';
import { optionalUserHash } from '../../http/fields';

/** Exactly the six fields of specification 2.1 (4.4 rule 3). */
const projectSummary = z
  .strictObject({
    project_id: z.int().meta({ description: 'Unique identifier of the project' }),
    project_name: z.string().meta({ description: 'Name of the project' }),
    project_image_url: z.string().meta({ description: "URL of the project's image" }),
    is_supported: z.boolean().meta({ description: 'True when the user supports this project' }),
    has_stories: z.boolean().meta({ description: 'True when the project has any stories' }),
    has_unviewed_stories: z
      .boolean()
      .meta({ description: 'True when the user has unviewed stories for this project' }),
  })
  .meta({ id: 'ProjectSummary' });

export const projectsStoriesContract = {
  get: endpoint({
    operationId: 'getProjectsAndStories',
    method: 'get',
    path: '/company/integration/projects-stories',
    summary: 'Get projects and stories (main component)',
    description:
      'Without user_hash: 4 projects. With it: every active project that the user supports (has a completed contribution to), most recently supported first, then 4 new ones in editorial order.',
    origin: 'specification 4.4',
    scope: 'projects:read',
    query: z.object({ user_hash: optionalUserHash }),
    isCatalogue: true,
    headers: z.object(conditional.requestHeaders),
    responses: {
      304: conditional.notModified,
      200: {
        description: 'The list for this user.',
        headers: conditional.answerHeaders,
        body: z.strictObject({ data: z.array(projectSummary) }),
        example: {
          data: [
            {
              project_id: 1,
              project_name: 'Clean water for Kisumu',
              project_image_url: 'https://api.example.org/demo/pictures/water/clean-water-for-kisumu.svg',
              is_supported: true,
              has_stories: true,
              has_unviewed_stories: false,
            },
          ],
        },
      },
    },
    errors: ['invalid_request'],
  }),
};
