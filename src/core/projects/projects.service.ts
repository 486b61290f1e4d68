import { ServiceError } from '../../shared/errors';
import type { Project } from './project';
import type { ProjectPageKey } from './projects.cursor';
import type { ProjectsStore } from './projects.store';

export type ProjectsService = ReturnType<typeof createProjectsService>;

export function createProjectsService(store: ProjectsStore) {
  return {
    /** One page of the active projects in editorial order (specification 4.1). */
    list: (
      environmentId: number,
      userHash: string | undefined,
      page: { limit: number; after: ProjectPageKey | undefined },
    ): Promise<{ projects: Project[]; next: ProjectPageKey | undefined }> =>
      store.list(environmentId, userHash, page),

    /**
     * One project with the requested optional content (specification 4.2).
     *
     * @throws ServiceError resource_not_found
     */
    async get(
      environmentId: number,
      userHash: string | undefined,
      projectId: string,
      include: { highlights: boolean; description: boolean },
    ): Promise<Project> {
      const project = await store.find(environmentId, userHash, projectId, include);
      if (!project) throw new ServiceError('resource_not_found', { detail: 'No project has this id.' });
      return project;
    },
  };
}
