/** A project in an import or export file. Amounts are US dollars as text with two decimals. */
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
  /** Editorial order, lowest first. */
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
  /** The number of the story. Unique within its project, and never reused. */
  number: number;
  title: string;
  body: string;
  image_url: string | null;
  status: 'published' | 'archived';
  /** UTC with microseconds, such as `2026-01-31T08:00:00.000000Z`. */
  published_at: string;
}

/** The columns of a CSV file, in the order of an export. */
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

/** A problem in a file. */
export interface ImportProblem {
  /** From 1. */
  line: number;
  /** Null if the problem concerns the whole record. */
  field: string | null;
  message: string;
}

/** A record of a file, not yet validated. */
export interface RawRecord {
  values: Readonly<Record<string, unknown>>;
  /** The line of a field. Without an argument, the line of the record. */
  lineOf: (field?: string) => number;
}

/** The fields of a project in a file. Omitted fields stay unchanged. */
export interface ProjectInput {
  line: number;
  given: Partial<CatalogueProject> & { reference: string };
}

export interface StoryInput {
  line: number;
  given: Partial<CatalogueStory> & { project_reference: string; number: number };
}
