import type { Routes } from '../../http/routes';
import { resolveUrl } from '../../http/urls';
import { projectsStoriesContract } from './projects-stories.contract';
import type { ProjectsStoriesReadModel } from './projects-stories.read-model';

/** Adds the operations of this module to the API. */
export function projectsStoriesRoutes(
  routes: Routes,
  readModel: ProjectsStoriesReadModel,
  publicBaseUrl: string,
): void {
  routes.bind(projectsStoriesContract.get).to(async ({ principal, query }) => {
    const summaries = await readModel.read(principal.environmentId, query.user_hash);
    return {
      status: 200,
      body: {
        data: summaries.map((summary) => ({
          project_id: summary.projectId,
          project_name: summary.name,
          project_image_url: resolveUrl(publicBaseUrl, summary.imageUrl),
          is_supported: summary.isSupported,
          has_stories: summary.hasStories,
          has_unviewed_stories: summary.hasUnviewedStories,
        })),
      },
    };
  });
}
