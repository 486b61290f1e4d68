import type { Statements } from '../../db/operator-transaction';

/** A project as a list for operators has it. */
export interface ListedProject {
  projectId: number;
  reference: string;
  name: string;
  status: 'active' | 'archived';
  rank: number;
  publishedStories: number;
  updatedAt: Date;
}

export interface ListedStory {
  storyId: number;
  number: number;
  title: string;
  status: 'published' | 'archived';
  publishedAt: Date;
}

export interface ProjectFilter {
  includeArchived: boolean;
  /** A part of the name or the reference, in any case. */
  search?: string | undefined;
  limit?: number;
  skip?: number;
}

export interface CatalogueChangesStore {
  /** In editorial order. */
  listProjects(filter: ProjectFilter): Promise<ListedProject[]>;
  /** Whichever projects have one of these texts as their reference or their id. */
  findProjects(texts: readonly string[]): Promise<ListedProject[]>;
  /** @returns how many were in another status */
  setProjectStatus(projectIds: readonly number[], status: 'active' | 'archived'): Promise<number>;
  /**
   * Gives all projects ranks in the order in which they stand now, but these first, in this order.
   */
  putFirst(projectIds: readonly number[]): Promise<number>;
  /** The newest first. */
  listStories(projectId: number): Promise<ListedStory[]>;
  /** @returns how many were in another status */
  setStoryStatus(
    projectId: number,
    numbers: readonly number[],
    status: 'published' | 'archived',
  ): Promise<number>;
}

interface ProjectRow {
  project_id: number;
  reference: string;
  name: string;
  status: 'active' | 'archived';
  rank: number;
  published_stories: number;
  updated_at: Date;
}

const projectColumns = `
  p.project_id, p.external_reference AS reference, p.project_name AS name, p.status, p.rank, p.updated_at,
  (SELECT count(*)::integer FROM stories s WHERE s.project_id = p.project_id AND s.status = 'published') AS published_stories`;

const toProject = (row: ProjectRow): ListedProject => ({
  projectId: row.project_id,
  reference: row.reference,
  name: row.name,
  status: row.status,
  rank: row.rank,
  publishedStories: row.published_stories,
  updatedAt: row.updated_at,
});

export function createCatalogueChangesStore(database: Statements): CatalogueChangesStore {
  return {
    async listProjects({ includeArchived, search, limit, skip = 0 }) {
      const rows = await database.runUnprepared<ProjectRow>(
        `SELECT ${projectColumns} FROM projects p
          WHERE ($1 OR p.status = 'active')
            AND ($2::text IS NULL OR strpos(lower(p.project_name), lower($2)) > 0
                 OR strpos(lower(p.external_reference), lower($2)) > 0)
          ORDER BY p.rank, p.project_id LIMIT $3 OFFSET $4`,
        [includeArchived, search ?? null, limit ?? null, skip],
      );
      return rows.map(toProject);
    },

    async findProjects(texts) {
      const rows = await database.runUnprepared<ProjectRow>(
        `SELECT ${projectColumns} FROM projects p
          WHERE p.external_reference = ANY ($1) OR p.project_id::text = ANY ($1)`,
        [texts],
      );
      return rows.map(toProject);
    },

    async setProjectStatus(projectIds, status) {
      const rows = await database.runUnprepared(
        `UPDATE projects SET status = $2, updated_at = clock_timestamp()
          WHERE project_id = ANY ($1) AND status <> $2
         RETURNING project_id`,
        [projectIds, status],
      );
      return rows.length;
    },

    async putFirst(projectIds) {
      const rows = await database.runUnprepared(
        `UPDATE projects p SET rank = ordered.rank
           FROM (
             SELECT q.project_id,
                    10 * row_number() OVER (
                      ORDER BY array_position($1::integer[], q.project_id) NULLS LAST, q.rank, q.project_id) AS rank
               FROM projects q
           ) AS ordered
          WHERE p.project_id = ordered.project_id AND p.rank <> ordered.rank
         RETURNING p.project_id`,
        [projectIds],
      );
      return rows.length;
    },

    async listStories(projectId) {
      const rows = await database.runUnprepared<{
        story_id: number;
        story_number: number;
        title: string;
        status: 'published' | 'archived';
        published_at: Date;
      }>(
        `SELECT s.story_id, s.story_number, s.title, s.status, s.published_at
           FROM stories s WHERE s.project_id = $1 ORDER BY s.published_at DESC, s.story_id DESC`,
        [projectId],
      );
      return rows.map((row) => ({
        storyId: row.story_id,
        number: row.story_number,
        title: row.title,
        status: row.status,
        publishedAt: row.published_at,
      }));
    },

    async setStoryStatus(projectId, numbers, status) {
      const rows = await database.runUnprepared(
        `UPDATE stories SET status = $3
          WHERE project_id = $1 AND story_number = ANY ($2) AND status <> $3
         RETURNING story_id`,
        [projectId, numbers, status],
      );
      return rows.length;
    },
  };
}
