import type { CatalogueProject, CatalogueStory, ImportProblem, ProjectInput, StoryInput } from './catalogue';
import { projectFields } from './catalogue-fields';

export interface ProjectChange extends CatalogueProject {
  /** Whether anything except the rank changes. Only then `updated_at` changes too. */
  is_record_changed: boolean;
  are_highlights_changed: boolean;
}

/** A new story. Null means published now. */
export type NewStory = Omit<CatalogueStory, 'published_at'> & { published_at: string | null };

export interface ImportPlan {
  newProjects: CatalogueProject[];
  changedProjects: ProjectChange[];
  unchangedProjects: number;
  newStories: NewStory[];
  changedStories: CatalogueStory[];
  unchangedStories: number;
  problems: ImportProblem[];
}

export interface ExistingCatalogue {
  projects: ReadonlyMap<string, CatalogueProject>;
  /** The existing stories by `storyKey`. */
  stories: ReadonlyMap<string, CatalogueStory>;
  /** The largest rank of any project. */
  lastRank: number;
}

export const storyKey = ({
  project_reference: reference,
  number,
}: Pick<CatalogueStory, 'project_reference' | 'number'>): string => `${number} ${reference}`;

const rankStep = 10;
const largestRank = 1_000_000_000;

/** The values of optional fields that a new project omits: those of empty cells. */
const emptyFields = Object.fromEntries(
  Object.entries(projectFields).flatMap(([name, field]) => {
    const { success, data } = field.safeParse(null);
    return success ? [[name, data]] : [];
  }),
) as Omit<CatalogueProject, 'reference' | 'name' | 'image_url' | 'status' | 'rank'>;

const newProject = { ...emptyFields, name: '', image_url: '', status: 'active' } as const;

const newStory = { image_url: null, status: 'published', published_at: null } as const;

function missing(given: object, required: readonly string[], line: number): ImportProblem[] {
  return required
    .filter((field) => !(field in given))
    .map((field) => ({ line, field, message: 'is required for a new record' }));
}

/** The fields with different values. Highlights are compared by content. */
function differences<T extends object>(before: T, after: T): Set<keyof T> {
  const changed = new Set<keyof T>();
  for (const field of Object.keys(after) as (keyof T)[]) {
    const [one, other] = [before[field], after[field]];
    const isSame =
      one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other));
    if (!isSame) changed.add(field);
  }
  return changed;
}

function planProjects(inputs: readonly ProjectInput[], existing: ExistingCatalogue, plan: ImportPlan): void {
  let lastRank = existing.lastRank;
  for (const { line, given } of inputs) {
    const before = existing.projects.get(given.reference);
    if (!before) {
      const problems = missing(given, ['name', 'image_url'], line);
      plan.problems.push(...problems);
      if (problems.length > 0) continue;
      const rank = given.rank ?? Math.min(lastRank + rankStep, largestRank);
      lastRank = Math.max(lastRank, rank);
      plan.newProjects.push({ ...newProject, ...given, rank });
      continue;
    }
    const after = { ...before, ...given };
    const changed = differences(before, after);
    if (changed.size === 0) {
      plan.unchangedProjects += 1;
      continue;
    }
    plan.changedProjects.push({
      ...after,
      is_record_changed: [...changed].some((field) => field !== 'rank'),
      are_highlights_changed: changed.has('highlights'),
    });
  }
}

function planStories(inputs: readonly StoryInput[], existing: ExistingCatalogue, plan: ImportPlan): void {
  const added = new Set(plan.newProjects.map(({ reference }) => reference));
  for (const { line, given } of inputs) {
    if (!existing.projects.has(given.project_reference) && !added.has(given.project_reference)) {
      const message = 'does not match any project';
      plan.problems.push({ line, field: 'project_reference', message });
      continue;
    }
    const before = existing.stories.get(storyKey(given));
    if (!before) {
      const problems = missing(given, ['title', 'body'], line);
      plan.problems.push(...problems);
      if (problems.length === 0) plan.newStories.push({ ...newStory, title: '', body: '', ...given });
      continue;
    }
    const after = { ...before, ...given };
    if (differences(before, after).size === 0) plan.unchangedStories += 1;
    else plan.changedStories.push(after);
  }
}

/**
 * Compares a file with the existing records. Only differences are written, and omitted records and
 * fields stay unchanged. New projects without a rank come last, in the order of the file.
 */
export function planImport(
  projects: readonly ProjectInput[],
  stories: readonly StoryInput[],
  existing: ExistingCatalogue,
): ImportPlan {
  const plan: ImportPlan = {
    newProjects: [],
    changedProjects: [],
    unchangedProjects: 0,
    newStories: [],
    changedStories: [],
    unchangedStories: 0,
    problems: [],
  };
  planProjects(projects, existing, plan);
  planStories(stories, existing, plan);
  return plan;
}
