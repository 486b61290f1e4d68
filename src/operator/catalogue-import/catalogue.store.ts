import { DatabaseFailure } from '../../db/errors';
import { lockCatalogue } from '../../db/operator-locks';
import type { Queries } from '../../db/operator-transaction';
import { OperatorError } from '../../shared/operator-error';
import { type CatalogueProject, type CatalogueStory, projectColumns } from './catalogue';
import type { NewStory, ProjectChange } from './import-plan';

/** Reads and writes projects and stories in the format of files, in the operator's transaction. */
export type CatalogueStore = ReturnType<typeof createCatalogueStore>;

const utcTime = (column: string): string =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** How the table stores a field of a file: the column, its value in a file, and the reverse. */
interface StoredField {
  column: string;
  read: string;
  type: string;
  write: string;
}

/** Where a field differs from a column of its name with text. */
const differences: { readonly [Name in keyof CatalogueProject]?: Partial<StoredField> } = {
  reference: { column: 'external_reference' },
  name: { column: 'project_name' },
  image_url: { column: 'project_image_url' },
  goal_amount: {
    column: 'goal_amount_cents',
    read: '(p.goal_amount_cents / 100.0)::numeric(20, 2)::text',
    type: 'numeric',
    write: '(given.goal_amount * 100)::bigint',
  },
  rank: { type: 'integer' },
};

type ProjectField = StoredField & { name: string };

const storedFields = projectColumns
  .filter((name) => name !== 'highlights')
  .map((name): ProjectField => {
    const { column = name, ...others } = differences[name] ?? {};
    return { name, column, read: `p.${column}`, type: 'text', write: `given.${name}`, ...others };
  });

const listFields = (describe: (field: ProjectField) => string, fields = storedFields): string =>
  fields.map(describe).join(', ');

const selectProjects = `
  SELECT ${listFields(({ name, read }) => `${read} AS ${name}`)},
         COALESCE((
           SELECT jsonb_agg(jsonb_build_object('title', h.title, 'body', h.body, 'image_url', h.image_url)
                            ORDER BY h.position)
             FROM project_highlights h WHERE h.project_id = p.project_id), '[]') AS highlights
    FROM projects p
   WHERE $1::text[] IS NULL OR p.external_reference = ANY ($1)
   ORDER BY p.rank, p.project_id`;

const selectStories = `
  SELECT p.external_reference AS project_reference, s.story_number AS number, s.title, s.body, s.image_url, s.status,
         ${utcTime('s.published_at')} AS published_at
    FROM stories s JOIN projects p USING (project_id)
   WHERE $1::text[] IS NULL OR p.external_reference = ANY ($1)
   ORDER BY p.rank, p.project_id, s.story_number`;

const projectRows = `
  jsonb_to_recordset($1::jsonb) AS given (
    ${listFields(({ name, type }) => `${name} ${type}`)},
    highlights jsonb, are_highlights_changed boolean)`;

const storyRows = `
  jsonb_to_recordset($1::jsonb) AS given (
    project_reference text, number integer, title text, body text, image_url text, status text,
    published_at timestamptz)`;

const insertHighlights = `
  INSERT INTO project_highlights (project_id, position, title, body, image_url)
  SELECT p.project_id, h.position, h.highlight ->> 'title', h.highlight ->> 'body', h.highlight ->> 'image_url'
    FROM ${projectRows}
    JOIN projects p ON p.external_reference = given.reference
   CROSS JOIN LATERAL jsonb_array_elements(given.highlights) WITH ORDINALITY AS h (highlight, position)
   WHERE given.are_highlights_changed`;

const queries = {
  // Does not block foreign-key checks, which take ROW SHARE.
  lock: 'LOCK TABLE projects, project_highlights, stories IN SHARE ROW EXCLUSIVE MODE',

  insertProjects: `
    INSERT INTO projects (${listFields(({ column }) => column)})
    SELECT ${listFields(({ write }) => write)}
      FROM ${projectRows}
     ORDER BY given.rank`,

  updateProjects: `
    UPDATE projects p
       SET ${listFields(
         ({ column, write }) => `${column} = ${write}`,
         storedFields.filter(({ name }) => name !== 'reference'),
       )}
      FROM ${projectRows}
     WHERE p.external_reference = given.reference`,

  // A separate query, because a cluster rejects a time within CASE in an UPDATE.
  markUpdated:
    'UPDATE projects SET updated_at = statement_timestamp() WHERE external_reference = ANY ($1::text[])',

  deleteHighlights: `
    DELETE FROM project_highlights h
     USING ${projectRows} JOIN projects p ON p.external_reference = given.reference
     WHERE h.project_id = p.project_id AND given.are_highlights_changed`,

  insertStories: `
    INSERT INTO stories (project_id, story_number, title, body, image_url, status, published_at)
    SELECT p.project_id, given.number, given.title, given.body, given.image_url, given.status,
           COALESCE(given.published_at, now())
      FROM ${storyRows} JOIN projects p ON p.external_reference = given.project_reference
     ORDER BY p.project_id, given.number`,

  updateStories: `
    UPDATE stories s
       SET title = given.title, body = given.body, image_url = given.image_url, status = given.status,
           published_at = given.published_at
      FROM ${storyRows} JOIN projects p ON p.external_reference = given.project_reference
     WHERE s.project_id = p.project_id AND s.story_number = given.number`,

  publishStories: `
    UPDATE projects p SET published_story_numbers = published.numbers
      FROM (
        SELECT q.project_id,
               COALESCE(range_agg(int4range(s.story_number, s.story_number + 1))
                          FILTER (WHERE s.status = 'published'), '{}') AS numbers
          FROM projects q LEFT JOIN stories s USING (project_id)
         WHERE q.external_reference = ANY ($1)
         GROUP BY q.project_id
      ) AS published
     WHERE p.project_id = published.project_id AND p.published_story_numbers <> published.numbers`,
} as const;

export function createCatalogueStore(database: Queries) {
  const write = async (text: string, rows: readonly object[]): Promise<void> => {
    await database.runUnprepared(text, [JSON.stringify(rows)]);
  };
  return {
    /**
     * Keeps other operators from changing the catalogue until the transaction ends. Requests of
     * partners do not wait.
     */
    async lock() {
      try {
        await database.run(lockCatalogue, []);
        await database.runUnprepared(queries.lock, []);
      } catch (error) {
        const isLocked =
          error instanceof DatabaseFailure && (error.reason === 'timeout' || error.reason === 'conflict');
        if (!isLocked) throw error;
        throw new OperatorError(
          'Another command is changing the catalogue. Nothing changed. Retry when it has finished.',
        );
      }
    },
    /** Reads projects in editorial order. Without references, it reads all projects. */
    async readProjects(references?: readonly string[]): Promise<CatalogueProject[]> {
      const projects = await database.runUnprepared<CatalogueProject>(selectProjects, [references ?? null]);
      // jsonb reorders the members.
      return projects.map((project) => ({
        ...project,
        highlights: project.highlights.map(({ title, body, image_url }) => ({ title, body, image_url })),
      }));
    },
    /**
     * Reads stories in editorial order of their projects. Without references, it reads all stories.
     */
    readStories: (references?: readonly string[]) =>
      database.runUnprepared<CatalogueStory>(selectStories, [references ?? null]),
    async readLastRank() {
      const [row] = await database.runUnprepared<{ last: number }>(
        'SELECT COALESCE(max(rank), 0) AS last FROM projects',
        [],
      );
      return row?.last ?? 0;
    },
    insertProjects: async (projects: readonly CatalogueProject[]) => {
      await write(queries.insertProjects, projects);
      await write(
        insertHighlights,
        projects.map((project) => ({ ...project, are_highlights_changed: true })),
      );
    },
    updateProjects: async (projects: readonly ProjectChange[]) => {
      await write(queries.updateProjects, projects);
      const updated = projects.filter((project) => project.is_record_changed);
      await database.runUnprepared(queries.markUpdated, [updated.map(({ reference }) => reference)]);
      await write(queries.deleteHighlights, projects);
      await write(insertHighlights, projects);
    },
    insertStories: (stories: readonly NewStory[]) => write(queries.insertStories, stories),
    updateStories: (stories: readonly CatalogueStory[]) => write(queries.updateStories, stories),
    /** Updates `published_story_numbers` of these projects from their stories. */
    publishStories: async (references: readonly string[]) => {
      await database.runUnprepared(queries.publishStories, [references]);
    },
  };
}
