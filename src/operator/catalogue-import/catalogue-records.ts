import type { z } from 'zod';

import type { ImportProblem, ProjectInput, RawRecord, StoryInput } from './catalogue';
import { messageOf, projectFields, storyFields } from './catalogue-fields';

type Fields = Readonly<Record<string, z.ZodType>>;

/** These fields have no empty value: an empty cell means unchanged, or the default. */
const emptyIsAbsent = new Set(['rank', 'status', 'published_at']);

export interface ReadRecords<Input> {
  inputs: Input[];
  problems: ImportProblem[];
}

function readFields(
  raw: RawRecord,
  fields: Fields,
  required: readonly string[],
): { given: Record<string, unknown>; problems: ImportProblem[] } {
  const given: Record<string, unknown> = {};
  const problems: ImportProblem[] = required
    .filter((field) => !(field in raw.values))
    .map((field) => ({ line: raw.lineOf(), field, message: 'is required' }));
  for (const [field, value] of Object.entries(raw.values)) {
    if (emptyIsAbsent.has(field) && (value === null || value === '')) continue;
    const result = Object.hasOwn(fields, field) ? fields[field]?.safeParse(value) : undefined;
    if (result?.success) given[field] = result.data;
    else {
      const message = result ? messageOf(result.error) : 'is not a known field';
      problems.push({ line: raw.lineOf(field), field, message });
    }
  }
  return { given, problems };
}

/** @param required the fields that identify a record */
function readRecords<Input>(
  records: readonly RawRecord[],
  fields: Fields,
  required: readonly string[],
): ReadRecords<Input> {
  const inputs: Input[] = [];
  const problems: ImportProblem[] = [];
  const firstLines = new Map<string, number>();
  for (const raw of records) {
    const { given, problems: found } = readFields(raw, fields, required);
    if (required.every((field) => given[field] !== undefined)) {
      const key = JSON.stringify(required.map((field) => given[field]));
      const firstLine = firstLines.get(key);
      if (firstLine === undefined) firstLines.set(key, raw.lineOf());
      else
        found.push({ line: raw.lineOf(), field: null, message: `repeats the record of line ${firstLine}` });
    }
    if (found.length === 0) inputs.push({ line: raw.lineOf(), given } as Input);
    else problems.push(...found);
  }
  return { inputs, problems };
}

/** The fields that identify a project, and a story. */
export const projectKeyFields = ['reference'];
export const storyKeyFields = ['project_reference', 'number'];

/** Returns valid projects as inputs, and the problems of invalid ones. */
export const readProjectRecords = (records: readonly RawRecord[]): ReadRecords<ProjectInput> =>
  readRecords(records, projectFields, projectKeyFields);

/** Returns valid stories as inputs, and the problems of invalid ones. */
export const readStoryRecords = (records: readonly RawRecord[]): ReadRecords<StoryInput> =>
  readRecords(records, storyFields, storyKeyFields);
