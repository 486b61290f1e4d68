import type { z } from 'zod';

import { projectFields, storyFields } from './catalogue-fields';

type Values<Fields extends Readonly<Record<string, z.ZodType>>> = {
  [Name in keyof Fields]: z.output<Fields[Name]>;
};

/** A project in an import or export file. Amounts are US dollars as text with two decimals. */
export type CatalogueProject = Values<typeof projectFields>;

/** Its `published_at` is UTC with microseconds, such as `2026-01-31T08:00:00.000000Z`. */
export type CatalogueStory = Values<typeof storyFields>;

/** The columns of a CSV file, in the order of an export. */
export const projectColumns = Object.keys(projectFields) as (keyof CatalogueProject)[];
export const storyColumns = Object.keys(storyFields) as (keyof CatalogueStory)[];

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
