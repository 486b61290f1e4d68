import { z } from 'zod';

import { endpoint } from '../../http/contract';
import { optionalUserHash } from '../users/user-hash.field';

/** Exactly the six fields of specification 2.1 (4.4 rule 3). */
const projectSummary = z
  .strictObject({
    project_id: z.int().meta({ description: 'Unique identifier of the project' }),
    project_name: z.string().meta({ description: 'Name of the project' }),
    project_image_url: z.string().meta({ description: "URL of the project's image" }),
    is_supported: z.boolean().meta({ description: 'True if the user supports this project' }),
    has_stories: z.boolean().meta({ description: 'True if the project has stories' }),
    has_unviewed_stories: z
      .boolean()
      .meta({ description: 'True if the user has not viewed all stories of this project' }),
  })
  .meta({ id: 'ProjectSummary' });

export const projectsStoriesContract = {
  get: endpoint({
    operationId: 'getProjectsAndStories',
    method: 'get',
    path: '/company/integration/projects-stories',
    summary: 'Get projects and stories (main component)',
    description:
      "Without `user_hash`, returns the first 4 active projects in the order that the operator chose. With `user_hash`, returns every active project that the user supports, most recently supported first, then the first 4 that the user does not support. A user supports a project while at least one of the user's completed contributions to it has not been returned in full.",
    origin: 'specification 4.4',
    scope: 'projects:read',
    query: z.object({ user_hash: optionalUserHash }),
    cachedWithout: 'user_hash',
    responses: {
      200: {
        description: 'The projects for this user.',
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
  }),
};
