import { type CatalogueProject, type CatalogueStory, projectColumns, storyColumns } from './catalogue';
import { readCsv, writeCsv } from './catalogue-csv';
import { readJson } from './catalogue-json';
import { projectKeyFields, readProjectRecords, readStoryRecords, storyKeyFields } from './catalogue-records';
import type { CatalogueFile } from './import.service';

export const fileFormats = ['csv', 'json'] as const;
export type FileFormat = (typeof fileFormats)[number];

const projectHeading = { known: projectColumns, required: projectKeyFields };
const storyHeading = { known: storyColumns, required: storyKeyFields };

/**
 * Reads a file of projects. In JSON, a project may contain its `stories`. In CSV, stories have a
 * separate file.
 *
 * @param delimiter only for CSV
 */
export function readProjectsFile(text: string, format: FileFormat, delimiter = ','): CatalogueFile {
  if (format === 'csv') {
    const { records, problems } = readCsv(text, delimiter, projectHeading);
    const projects = readProjectRecords(records);
    return { projects: projects.inputs, stories: [], problems: [...problems, ...projects.problems] };
  }
  const { records, nestedRecords, problems } = readJson(text, 'projects', {
    name: 'stories',
    parentOf: ({ reference }) => ({ project_reference: reference }),
  });
  const projects = readProjectRecords(records);
  const stories = readStoryRecords(nestedRecords);
  return {
    projects: projects.inputs,
    stories: stories.inputs,
    problems: [...problems, ...projects.problems, ...stories.problems],
  };
}

/** Reads a file of stories, each with the reference of its project. */
export function readStoriesFile(text: string, format: FileFormat, delimiter = ','): CatalogueFile {
  const { records, problems } =
    format === 'csv' ? readCsv(text, delimiter, storyHeading) : readJson(text, 'stories');
  const stories = readStoryRecords(records);
  return { projects: [], stories: stories.inputs, problems: [...problems, ...stories.problems] };
}

/** Writes projects for a later import. JSON includes their stories. */
export function writeProjectsFile(
  projects: readonly CatalogueProject[],
  stories: readonly CatalogueStory[],
  format: FileFormat,
): string {
  if (format === 'csv') {
    return writeCsv<Record<keyof CatalogueProject, unknown>>(
      projectColumns,
      projects.map((project) => ({
        ...project,
        highlights: project.highlights.length === 0 ? null : JSON.stringify(project.highlights),
      })),
    );
  }
  const storiesOf = new Map<string, CatalogueStory[]>(projects.map(({ reference }) => [reference, []]));
  for (const story of stories) storiesOf.get(story.project_reference)?.push(story);
  const documents = projects.map((project) => ({
    ...project,
    stories: (storiesOf.get(project.reference) ?? []).map((story) => ({
      ...story,
      project_reference: undefined,
    })),
  }));
  return `${JSON.stringify({ projects: documents }, null, 2)}\n`;
}

/** Writes stories for a later import. */
export function writeStoriesFile(stories: readonly CatalogueStory[], format: FileFormat): string {
  return format === 'csv' ? writeCsv(storyColumns, stories) : `${JSON.stringify({ stories }, null, 2)}\n`;
}
