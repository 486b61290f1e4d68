import type { Routes } from '../../http/routes';
import { ServiceError } from '../../shared/errors';
import { projectsContract } from './projects.contract';
import { presentProject } from './projects.presenter';
import type { ProjectsStore } from './projects.store';

/** Adds the operations of this module to the API. */
export function projectsRoutes(routes: Routes, projects: ProjectsStore, publicBaseUrl: string): void {
  routes.bind(projectsContract.list).to(async ({ principal, query }) => {
    const page = await projects.list(principal.environmentId, query.user_hash, {
      limit: query.limit,
      after: query.cursor,
    });
    return {
      status: 200,
      body: { ...page, data: page.data.map((project) => presentProject(project, publicBaseUrl)) },
    };
  });

  routes.bind(projectsContract.get).to(async ({ principal, params, query }) => {
    const project = await projects.find(principal.environmentId, query.user_hash, params.project_id, {
      highlights: query.highlights ?? false,
      description: query.description ?? false,
    });
    if (!project) throw new ServiceError('resource_not_found', { detail: 'No project has this id.' });
    return {
      status: 200,
      body: presentProject(project, publicBaseUrl),
    };
  });
}
