import { OperatorError } from '../../shared/operator-error';
import type { CatalogueProject, CatalogueStory } from './catalogue';
import type { CatalogueProjectsStore, ListedProject, ProjectFilter } from './catalogue-projects.store';
import type { CatalogueStoriesStore, ListedStory } from './catalogue-stories.store';
import type { CatalogueStore } from './catalogue.store';

/**
 * What an operator does to the catalogue besides importing. A project is named by its reference or
 * its project_id. Archiving blocks no completion: what was created before is money that has moved.
 */
export interface CatalogueService {
  list(filter: ProjectFilter): Promise<ListedProject[]>;
  /** The record of one project. @throws OperatorError when it is not there */
  show(name: string): Promise<{ listed: ListedProject; record: CatalogueProject }>;
  exportProjects(): Promise<{ projects: CatalogueProject[]; stories: CatalogueStory[] }>;
  /** @throws OperatorError when one of them is not there */
  setProjectStatus(names: readonly string[], status: 'active' | 'archived'): Promise<number>;
  /** Puts these first in the editorial order, as they are named; the others follow as they did. */
  putFirst(names: readonly string[]): Promise<number>;
  listStories(name: string): Promise<ListedStory[]>;
  /** @throws OperatorError when the project or one of its stories is not there */
  setStoryStatus(name: string, numbers: readonly number[], status: 'published' | 'archived'): Promise<number>;
}

type Store = Pick<CatalogueStore, 'lock' | 'readProjects' | 'readStories' | 'publishStories'>;

export function createCatalogueService(
  files: Store,
  projects: CatalogueProjectsStore,
  stories: CatalogueStoriesStore,
): CatalogueService {
  /** The projects of these names, in their order. */
  async function find(names: readonly string[]): Promise<ListedProject[]> {
    const found = await projects.find(names);
    return names.map((name) => {
      const [project, another] = found.filter(
        ({ reference, projectId }) => reference === name || String(projectId) === name,
      );
      if (!project) throw new OperatorError(`No project has the reference or project_id "${name}".`);
      if (another) {
        throw new OperatorError(
          `"${name}" is the reference of one project and the project_id of another. Name it by the other one of the two.`,
        );
      }
      return project;
    });
  }

  return {
    list: (filter) => projects.list(filter),

    async show(name) {
      const [listed] = await find([name]);
      const [record] = listed ? await files.readProjects([listed.reference]) : [];
      if (!listed || !record) throw new OperatorError(`There is no project "${name}".`);
      return { listed, record };
    },

    exportProjects: async () => ({
      projects: await files.readProjects(),
      stories: await files.readStories(),
    }),

    async setProjectStatus(names, status) {
      await files.lock();
      const ids = (await find(names)).map(({ projectId }) => projectId);
      return projects.setStatus(ids, status);
    },

    async putFirst(names) {
      await files.lock();
      const ids = (await find(names)).map(({ projectId }) => projectId);
      const twice = ids.findIndex((id, index) => ids.indexOf(id) !== index);
      if (twice >= 0) throw new OperatorError(`"${names[twice] ?? ''}" occurs twice.`);
      return projects.putFirst(ids);
    },

    async listStories(name) {
      const [project] = await find([name]);
      return project ? stories.list(project.projectId) : [];
    },

    async setStoryStatus(name, numbers, status) {
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
