import type { Queries } from '../../db/operator-transaction';
import { membersOf } from '../../db/query';

export interface ListedProject {
  projectId: number;
  reference: string;
  name: string;
  status: 'active' | 'archived';
  rank: number;
  publishedStories: number;
  updatedAt: Date;
}

export interface ProjectFilter {
  includeArchived: boolean;
  /** Part of the name or the reference, ignoring case. */
  search?: string | undefined;
  limit?: number;
  skip?: number;
}

export type CatalogueProjectsStore = ReturnType<typeof createCatalogueProjectsStore>;

const projectColumns = `
  ${membersOf('p', 'projectId', 'status', 'rank', 'updatedAt')}, p.external_reference AS reference, p.project_name AS name,
  (SELECT count(*)::integer FROM stories s WHERE s.project_id = p.project_id AND s.status = 'published') AS "publishedStories"`;

export function createCatalogueProjectsStore(database: Queries) {
  return {
    /** In editorial order. */
    list: ({ includeArchived, search, limit, skip = 0 }: ProjectFilter) =>
      database.runUnprepared<ListedProject>(
        `SELECT ${projectColumns} FROM projects p
          WHERE ($1 OR p.status = 'active')
            AND ($2::text IS NULL OR strpos(lower(p.project_name), lower($2)) > 0
                 OR strpos(lower(p.external_reference), lower($2)) > 0)
          ORDER BY p.rank, p.project_id LIMIT $3 OFFSET $4`,
        [includeArchived, search ?? null, limit ?? null, skip],
      ),

    /** The projects whose reference or project_id is one of these names. */
    find: (names: readonly string[]) =>
      database.runUnprepared<ListedProject>(
        `SELECT ${projectColumns} FROM projects p
          WHERE p.external_reference = ANY ($1) OR p.project_id::text = ANY ($1)`,
        [names],
      ),

    /** @returns how many projects had another status */
    async setStatus(projectIds: readonly number[], status: 'active' | 'archived') {
      const rows = await database.runUnprepared(
        `UPDATE projects SET status = $2, updated_at = statement_timestamp()
          WHERE project_id = ANY ($1) AND status <> $2
         RETURNING project_id`,
        [projectIds, status],
      );
      return rows.length;
    },

    /**
     * Renumbers all ranks: these projects first, in this order, then the others in their current
     * order.
     *
     * @returns how many ranks changed
     */
    async putFirst(projectIds: readonly number[]) {
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
  };
}
