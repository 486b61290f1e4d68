import type { Routes } from '../../http/routes';
import { projectsContract } from './projects.contract';
import { writeProjectCursor } from './projects.cursor';
import { presentProject } from './projects.presenter';
import type { ProjectsService } from './projects.service';

/** Adds the operations of this module to the API. */
export function projectsRoutes(routes: Routes, projects: ProjectsService, publicBaseUrl: string): void {
  routes.bind(projectsContract.list).to(async ({ principal, query }) => {
    const page = await projects.list(principal.environmentId, query.user_hash, {
      limit: query.limit,
      after: query.cursor,
    });
    return {
      status: 200,
      body: {
        data: page.projects.map((project) => presentProject(project, publicBaseUrl)),
        has_more: page.next !== undefined,
        next_cursor: page.next ? writeProjectCursor(page.next) : null,
      },
    };
  });

  routes.bind(projectsContract.get).to(async ({ principal, params, query }) => {
    const project = await projects.get(principal.environmentId, query.user_hash, params.project_id, {
      highlights: query.highlights ?? false,
      description: query.description ?? false,
    });
    return {
      status: 200,
      body: presentProject(project, publicBaseUrl),
    };
  });
}
