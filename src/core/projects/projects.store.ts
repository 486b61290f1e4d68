import type { Database } from '../../db/pool/database';
import { statement } from '../../db/statement';
import type { Highlight, Project } from './project';
import { type StoredFields, storedNames, storedOf } from './project.fields';
import type { ProjectPageKey } from './projects.cursor';

export type ProjectsStore = ReturnType<typeof createProjectsStore>;

// $1 environment_id, $2 user_hash or null. An unknown user is treated like no user.
const knownUser = `
  known_user AS (SELECT u.user_id FROM users u WHERE u.environment_id = $1 AND u.user_hash = $2)`;

// GREATEST ignores null, so a project without figures has 0. It also hides a negative figure. A
// figure is negative until the next run if a return is counted before its completion.
const projectColumns = `
  p.project_id, p.project_name, p.project_image_url, ${storedNames.map((name) => `p.${name}`).join(', ')},
  p.goal_amount_cents, p.status, p.rank, p.created_at, p.updated_at,
  GREATEST(f.raised_cents, 0) AS raised_cents, GREATEST(f.supporters_count, 0) AS supporters_count,
  EXISTS (
    SELECT FROM supports s
     WHERE s.environment_id = $1 AND s.user_id = (SELECT user_id FROM known_user) AND s.project_id = p.project_id
       AND s.ended_at IS NULL
  ) AS is_supported,
  NOT isempty(p.published_story_numbers) AS has_stories,
  NOT p.published_story_numbers <@ COALESCE(
    (SELECT v.viewed_story_numbers FROM story_views v
      WHERE v.environment_id = $1 AND v.user_id = (SELECT user_id FROM known_user) AND v.project_id = p.project_id),
    '{}') AS has_unviewed_stories`;

const projectsWithFigures = `
  projects p
  LEFT JOIN project_figures f ON f.project_id = p.project_id
   AND f.figures_scope = (SELECT e.figures_scope FROM environments e WHERE e.environment_id = $1)`;

export const listProjects = statement(
  'list_projects',
  `WITH ${knownUser}
   SELECT ${projectColumns}
     FROM ${projectsWithFigures}
    WHERE p.status = 'active' AND (p.rank, p.project_id) > ($3::integer, $4::integer)
    ORDER BY p.rank, p.project_id
    LIMIT $5`,
);

const findProject = statement(
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

interface ProjectRow extends StoredFields {
  project_id: number;
  project_name: string;
  project_image_url: string;
  goal_amount_cents: string | null;
  raised_cents: string;
  supporters_count: string;
  status: 'active' | 'archived';
  rank: number;
  created_at: Date;
  updated_at: Date;
  is_supported: boolean;
  has_stories: boolean;
  has_unviewed_stories: boolean;
}

function toProject(row: ProjectRow): Project {
  return {
    projectId: row.project_id,
    name: row.project_name,
    imageUrl: row.project_image_url,
    isSupported: row.is_supported,
    hasStories: row.has_stories,
    hasUnviewedStories: row.has_unviewed_stories,
    stored: storedOf(row),
    goalAmountCents: row.goal_amount_cents === null ? null : BigInt(row.goal_amount_cents),
    raisedCents: BigInt(row.raised_cents),
    supportersCount: Number(row.supporters_count),
    status: row.status,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

const startOfList: ProjectPageKey = [-2_147_483_648, 0];

export function createProjectsStore(database: Database) {
  return {
    /** At most `limit` active projects in editorial order. */
    async list(
      environmentId: number,
      userHash: string | undefined,
      { limit, after }: { limit: number; after: ProjectPageKey | undefined },
    ): Promise<{ projects: Project[]; next: ProjectPageKey | undefined }> {
      const [rank, projectId] = after ?? startOfList;
      const values = [environmentId, userHash ?? null, rank, projectId, limit + 1];
      const rows = await database.run<ProjectRow>(listProjects, values);
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      return {
        projects: shown.map(toProject),
        next: rows.length > limit && last ? [last.rank, last.project_id] : undefined,
      };
    },

    /** One project, archived or not. */
    async find(
      environmentId: number,
      userHash: string | undefined,
      projectId: string,
      include: { highlights: boolean; description: boolean },
    ): Promise<Project | undefined> {
      const [row] = await database.run<
        ProjectRow & { highlights: Highlight[] | null; description: string | null }
      >(findProject, [environmentId, userHash ?? null, projectId, include.highlights, include.description]);
      return (
        row && {
          ...toProject(row),
          ...(row.highlights === null ? {} : { highlights: row.highlights }),
          ...(row.description === null ? {} : { description: row.description }),
        }
      );
    },
  };
}
