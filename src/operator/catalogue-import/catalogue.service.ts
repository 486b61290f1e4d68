import { OperatorError } from '../../shared/operator-error';
import type { CatalogueProject, CatalogueStory } from './catalogue';
import type { CatalogueProjectsStore, ListedProject, ProjectFilter } from './catalogue-projects.store';
import type { CatalogueStoriesStore, ListedStory } from './catalogue-stories.store';
import type { CatalogueStore } from './catalogue.store';

/**
 * Changes to projects and stories, except import. A name is the reference or the project_id of a
 * project. Pending contributions to archived projects can still be completed: the money may already
 * have moved.
 */
export type CatalogueService = ReturnType<typeof createCatalogueService>;

type Store = Pick<CatalogueStore, 'lock' | 'readProjects' | 'readStories' | 'publishStories'>;

export function createCatalogueService(
  files: Store,
  projects: CatalogueProjectsStore,
  stories: CatalogueStoriesStore,
) {
  /** The projects with these names, in the same order. */
  async function find(names: readonly string[]): Promise<ListedProject[]> {
    const found = await projects.find(names);
    return names.map((name) => {
      const [project, another] = found.filter(
        ({ reference, projectId }) => reference === name || String(projectId) === name,
      );
      if (!project) throw new OperatorError(`No project has the reference or project_id "${name}".`);
      if (another) {
        throw new OperatorError(
          `"${name}" is the reference of one project and the project_id of another. Use the other identifier of the project.`,
        );
      }
      return project;
    });
  }

  return {
    list: (filter: ProjectFilter) => projects.list(filter),

    /** @throws OperatorError if there is no such project */
    async show(name: string): Promise<{ listed: ListedProject; record: CatalogueProject }> {
      const [listed] = await find([name]);
      const [record] = listed ? await files.readProjects([listed.reference]) : [];
      if (!listed || !record) throw new OperatorError(`There is no project "${name}".`);
      return { listed, record };
    },

    exportProjects: async (): Promise<{ projects: CatalogueProject[]; stories: CatalogueStory[] }> => ({
      projects: await files.readProjects(),
      stories: await files.readStories(),
    }),

    /** @throws OperatorError if one of the projects does not exist */
    async setProjectStatus(names: readonly string[], status: 'active' | 'archived') {
      await files.lock();
      const ids = (await find(names)).map(({ projectId }) => projectId);
      return projects.setStatus(ids, status);
    },

    /** Puts these first in the editorial order. The others follow in their current order. */
    async putFirst(names: readonly string[]) {
      await files.lock();
      const ids = (await find(names)).map(({ projectId }) => projectId);
      const twice = ids.findIndex((id, index) => ids.indexOf(id) !== index);
      if (twice >= 0) throw new OperatorError(`"${names[twice] ?? ''}" is listed twice.`);
      return projects.putFirst(ids);
    },

    async listStories(name: string): Promise<ListedStory[]> {
      const [project] = await find([name]);
      return project ? stories.list(project.projectId) : [];
    },

    /** @throws OperatorError if the project or one of the stories does not exist */
    async setStoryStatus(name: string, numbers: readonly number[], status: 'published' | 'archived') {
      await files.lock();
      const [project] = await find([name]);
      if (!project) return 0;
      const known = new Set((await stories.list(project.projectId)).map(({ number }) => number));
      const missing = numbers.filter((number) => !known.has(number));
      if (missing.length > 0) {
        throw new OperatorError(`"${project.name}" has no story with the number ${missing.join(', ')}.`);
      }
      const changed = await stories.setStatus(project.projectId, numbers, status);
      await files.publishStories([project.reference]);
      return changed;
    },
  };
}
