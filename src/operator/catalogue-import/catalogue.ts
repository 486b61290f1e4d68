/**
 * A project as files have it: US dollars as text with two decimals, and everything by its own
 * reference.
 */
export interface CatalogueProject {
  reference: string;
  name: string;
  image_url: string;
  summary: string;
  description: string;
  category: string | null;
  country: string | null;
  organization: string | null;
  goal_amount: string | null;
  status: 'active' | 'archived';
  /** The editorial order: the lowest comes first. */
  rank: number;
  highlights: CatalogueHighlight[];
}

export interface CatalogueHighlight {
  title: string;
  body: string;
  image_url: string | null;
}

export interface CatalogueStory {
  project_reference: string;
  /** Within its project, and never used for another story. */
  number: number;
  title: string;
  body: string;
  image_url: string | null;
  status: 'published' | 'archived';
  /** UTC with six decimals of a second, as `2026-01-31T08:00:00.000000Z`. */
  published_at: string;
}

/** Columns of a CSV file, in the order in which an export writes them. */
export const projectColumns = [
  'reference',
  'name',
  'image_url',
  'summary',
  'description',
  'category',
  'country',
  'organization',
  'goal_amount',
  'status',
  'rank',
  'highlights',
] as const satisfies readonly (keyof CatalogueProject)[];

export const storyColumns = [
  'project_reference',
  'number',
  'title',
  'body',
  'image_url',
  'status',
  'published_at',
] as const satisfies readonly (keyof CatalogueStory)[];

/** What is wrong with a line of a file. */
export interface ImportProblem {
  /** Begins with 1. */
  line: number;
  /** null when it is the record as a whole. */
  field: string | null;
  message: string;
}

/** A record of a file before anything is known about it. */
export interface RawRecord {
  values: Readonly<Record<string, unknown>>;
  /** Where a field stands; the record itself without one. */
  lineOf: (field?: string) => number;
}

/** What a file gives of a project: fields that it leaves out stay as they are. */
export interface ProjectInput {
  line: number;
  given: Partial<CatalogueProject> & { reference: string };
}

export interface StoryInput {
  line: number;
  given: Partial<CatalogueStory> & { project_reference: string; number: number };
}
