import type { Database } from '../../db/pool/database';
import { membersOf, query } from '../../db/query';
import { pageOf } from '../../shared/cursor';
import type { Project } from './project';
import { storedNames } from './project.fields';
import type { ProjectPageKey } from './projects.cursor';

export type ProjectsStore = ReturnType<typeof createProjectsStore>;

// $1 environment_id, $2 user_hash or null. An unknown user is treated like no user.
const knownUser = `
  known_user AS (SELECT u.user_id FROM users u WHERE u.environment_id = $1 AND u.user_hash = $2)`;

// GREATEST ignores null, so a project without figures has 0. It also hides a negative figure. A
// figure is negative until the next run if a return is counted before its completion.
const projectColumns = `
  p.project_name AS name, p.project_image_url AS "imageUrl", ${storedNames.map((name) => `p.${name}`).join(', ')},
  ${membersOf('p', 'projectId', 'goalAmountCents', 'status', 'rank', 'createdAt', 'updatedAt')},
  GREATEST(f.raised_cents, 0) AS "raisedCents", GREATEST(f.supporters_count, 0) AS "supportersCount",
  EXISTS (
    SELECT FROM supports s
     WHERE s.environment_id = $1 AND s.user_id = (SELECT user_id FROM known_user) AND s.project_id = p.project_id
       AND s.ended_at IS NULL
  ) AS "isSupported",
  NOT isempty(p.published_story_numbers) AS "hasStories",
  NOT p.published_story_numbers <@ COALESCE(
    (SELECT v.viewed_story_numbers FROM story_views v
      WHERE v.environment_id = $1 AND v.user_id = (SELECT user_id FROM known_user) AND v.project_id = p.project_id),
    '{}') AS "hasUnviewedStories"`;

const projectsWithFigures = `
  projects p
  LEFT JOIN project_figures f ON f.project_id = p.project_id
   AND f.figures_scope = (SELECT e.figures_scope FROM environments e WHERE e.environment_id = $1)`;

export const listProjects = query(
  'list_projects',
  `WITH ${knownUser}
   SELECT ${projectColumns}
     FROM ${projectsWithFigures}
    WHERE p.status = 'active' AND (p.rank, p.project_id) > ($3::integer, $4::integer)
    ORDER BY p.rank, p.project_id
    LIMIT $5`,
);

const findProject = query(
  'find_project',
  `WITH ${knownUser}
   SELECT ${projectColumns},
          CASE WHEN $4 THEN (
            SELECT COALESCE(jsonb_agg(jsonb_build_object('title', h.title, 'body', h.body, 'imageUrl', h.image_url)
                                      ORDER BY h.position), '[]')
              FROM project_highlights h WHERE h.project_id = p.project_id
          ) END AS highlights,
          CASE WHEN $5 THEN p.description END AS description
     FROM ${projectsWithFigures}
    WHERE p.project_id = $3::bigint`,
);

/** PostgreSQL's bigint is text. */
type ProjectRow = Omit<Project, 'goalAmountCents' | 'raisedCents' | 'supportersCount'> & {
  goalAmountCents: string | null;
  raisedCents: string;
  supportersCount: string;
  rank: number;
};

const toProject = (row: ProjectRow): Project => ({
  ...row,
  goalAmountCents: row.goalAmountCents === null ? null : BigInt(row.goalAmountCents),
  raisedCents: BigInt(row.raisedCents),
  supportersCount: Number(row.supportersCount),
});

const startOfList: ProjectPageKey = [-2_147_483_648, 0];

export function createProjectsStore(database: Database) {
  return {
    /** A page of the active projects in editorial order (specification 4.1). */
    async list(
      environmentId: number,
      userHash: string | undefined,
      { limit, after }: { limit: number; after: ProjectPageKey | undefined },
    ) {
      const [rank, projectId] = after ?? startOfList;
      const values = [environmentId, userHash ?? null, rank, projectId, limit + 1];
      const rows = await database.run<ProjectRow>(listProjects, values);
      const page = pageOf(rows, limit, (row) => [row.rank, row.projectId]);
      return { ...page, data: page.data.map(toProject) };
    },

    /** One project, archived or not, with the requested optional content (specification 4.2). */
    async find(
      environmentId: number,
      userHash: string | undefined,
      projectId: string,
      include: { highlights: boolean; description: boolean },
    ): Promise<Project | undefined> {
      const values = [environmentId, userHash ?? null, projectId, include.highlights, include.description];
      const [row] = await database.run<ProjectRow>(findProject, values);
      return row && toProject(row);
    },
  };
}
