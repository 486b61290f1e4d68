import {
  type CatalogueProject,
  type CatalogueStory,
  type ImportProblem,
  type ProjectInput,
  type RawRecord,
  type StoryInput,
} from './catalogue';
import {
  country,
  dollars,
  FieldProblem,
  type FieldReader,
  highlights,
  imageUrl,
  integer,
  line,
  oneOf,
  optional,
  prose,
  requiredProse,
  utcTime,
} from './catalogue-fields';

type Readers<T> = { readonly [Field in keyof T]-?: FieldReader<T[Field]> };

const projectReaders: Readers<CatalogueProject> = {
  reference: line(200),
  name: line(200),
  image_url: imageUrl,
  summary: prose,
  description: prose,
  category: optional(line(100)),
  country: optional(country),
  organization: optional(line(200)),
  goal_amount: optional(dollars),
  status: oneOf(['active', 'archived']),
  rank: integer(-1_000_000_000, 1_000_000_000),
  highlights,
};

const storyReaders: Readers<CatalogueStory> = {
  project_reference: line(200),
  number: integer(1, 2_147_483_646),
  title: line(200),
  body: requiredProse,
  image_url: optional(imageUrl),
  status: oneOf(['published', 'archived']),
  published_at: utcTime,
};

/** These fields have no empty value: an empty cell means unchanged, or the default. */
const emptyIsAbsent = new Set(['rank', 'status', 'published_at']);

export interface ReadRecords<Input> {
  inputs: Input[];
  problems: ImportProblem[];
}

function readFields<T extends object>(
  raw: RawRecord,
  readers: Readers<T>,
  required: readonly (keyof T & string)[],
): { given: Partial<T>; problems: ImportProblem[] } {
  const given: Partial<T> = {};
  const problems: ImportProblem[] = [];
  const report = (field: string, message: string, lineOf = raw.lineOf(field)): void => {
    problems.push({ line: lineOf, field, message });
  };
  for (const field of required) {
    if (!(field in raw.values)) report(field, 'is required', raw.lineOf());
  }
  for (const [field, value] of Object.entries(raw.values)) {
    if (!Object.hasOwn(readers, field)) {
      report(field, 'is not a known field');
      continue;
    }
    if (emptyIsAbsent.has(field) && (value === null || value === '')) continue;
    const known = field as keyof T;
    try {
      given[known] = readers[known](value);
    } catch (error) {
      if (!(error instanceof FieldProblem)) throw error;
      report(field, error.message);
    }
  }
  return { given, problems };
}

function readRecords<T extends object, Input>(
  records: readonly RawRecord[],
  readers: Readers<T>,
  required: readonly (keyof T & string)[],
  keyOf: (given: Partial<T>) => string,
  toInput: (line: number, given: Partial<T>) => Input,
): ReadRecords<Input> {
  const inputs: Input[] = [];
  const problems: ImportProblem[] = [];
  const firstLines = new Map<string, number>();
  for (const raw of records) {
    const { given, problems: found } = readFields(raw, readers, required);
    if (required.every((field) => given[field] !== undefined)) {
      const key = keyOf(given);
      const firstLine = firstLines.get(key);
      if (firstLine === undefined) firstLines.set(key, raw.lineOf());
      else
        found.push({ line: raw.lineOf(), field: null, message: `repeats the record of line ${firstLine}` });
    }
    if (found.length === 0) inputs.push(toInput(raw.lineOf(), given));
    else problems.push(...found);
  }
  return { inputs, problems };
}

/** The fields that identify a project, and a story. */
export const projectKeyFields = ['reference'] as const;
export const storyKeyFields = ['project_reference', 'number'] as const;

/** Returns valid projects as inputs, and the problems of invalid ones. */
export function readProjectRecords(records: readonly RawRecord[]): ReadRecords<ProjectInput> {
  return readRecords<CatalogueProject, ProjectInput>(
    records,
    projectReaders,
    projectKeyFields,
    (given) => given.reference ?? '',
    (at, given) => ({ line: at, given: given as ProjectInput['given'] }),
  );
}

/** Returns valid stories as inputs, and the problems of invalid ones. */
export function readStoryRecords(records: readonly RawRecord[]): ReadRecords<StoryInput> {
  return readRecords<CatalogueStory, StoryInput>(
    records,
    storyReaders,
    storyKeyFields,
    (given) => `${given.number ?? ''} ${given.project_reference ?? ''}`,
    (at, given) => ({ line: at, given: given as StoryInput['given'] }),
  );
}
