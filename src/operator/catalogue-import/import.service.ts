import type { ImportProblem, ProjectInput, StoryInput } from './catalogue';
import { type ExistingCatalogue, type ImportPlan, planImport, storyKey } from './import-plan';
import { ImportRefused } from './import-refused';
import type { CatalogueStore } from './catalogue.store';

/** The valid records of a file, and the problems of the invalid ones. */
export interface CatalogueFile {
  projects: ProjectInput[];
  stories: StoryInput[];
  problems: ImportProblem[];
}

export interface ImportReport {
  projects: { added: number; changed: number; unchanged: number };
  stories: { added: number; changed: number; unchanged: number };
  /** The problems of the skipped records. */
  problems: ImportProblem[];
}

export type OnProgress = (done: number, what: string) => void;

export interface ImportService {
  /**
   * Adds and changes the records of a file. Other records stay unchanged, so importing the same
   * file again changes nothing.
   *
   * @param skipInvalid import the valid records and skip the others
   * @throws ImportRefused with all problems, unless skipInvalid
   */
  run(file: CatalogueFile, options: { skipInvalid: boolean }, onProgress: OnProgress): Promise<ImportReport>;
}

/** Rows per query: large enough to make round trips cheap, small enough to show progress. */
const batchSize = 1_000;

function* batches<T>(rows: readonly T[]): Generator<T[]> {
  for (let start = 0; start < rows.length; start += batchSize) yield rows.slice(start, start + batchSize);
}

export function createImportService(store: CatalogueStore): ImportService {
  async function readExisting({ projects, stories }: CatalogueFile): Promise<ExistingCatalogue> {
    const references = new Set([
      ...projects.map(({ given }) => given.reference),
      ...stories.map(({ given }) => given.project_reference),
    ]);
    const existingProjects = await store.readProjects([...references]);
    const withStories = new Set(stories.map(({ given }) => given.project_reference));
    const existingStories = await store.readStories([...withStories]);
    return {
      projects: new Map(existingProjects.map((project) => [project.reference, project])),
      stories: new Map(existingStories.map((story) => [storyKey(story), story])),
      lastRank: await store.readLastRank(),
    };
  }

  async function write(plan: ImportPlan, onProgress: OnProgress): Promise<void> {
    const touched = new Set(
      [...plan.newStories, ...plan.changedStories].map((story) => story.project_reference),
    );
    const references = [...touched];
    const total =
      plan.newProjects.length +
      plan.changedProjects.length +
      plan.newStories.length +
      plan.changedStories.length +
      references.length;
    let done = 0;
    async function inBatches<T>(what: string, rows: readonly T[], work: (batch: T[]) => Promise<void>) {
      for (const batch of batches(rows)) {
        onProgress(done / total, what);
        await work(batch);
        done += batch.length;
      }
    }
    await inBatches('new projects', plan.newProjects, store.insertProjects);
    await inBatches('changed projects', plan.changedProjects, store.updateProjects);
    await inBatches('new stories', plan.newStories, store.insertStories);
    await inBatches('changed stories', plan.changedStories, store.updateStories);
    await inBatches('published stories', references, store.publishStories);
  }

  return {
    async run(file, { skipInvalid }, onProgress) {
      await store.lock();
      const plan = planImport(file.projects, file.stories, await readExisting(file));
      const problems = [...file.problems, ...plan.problems].sort((one, other) => one.line - other.line);
      if (problems.length > 0 && !skipInvalid) throw new ImportRefused(problems);
      await write(plan, onProgress);
      return {
        projects: {
          added: plan.newProjects.length,
          changed: plan.changedProjects.length,
          unchanged: plan.unchangedProjects,
        },
        stories: {
          added: plan.newStories.length,
          changed: plan.changedStories.length,
          unchanged: plan.unchangedStories,
        },
        problems,
      };
    },
  };
}
