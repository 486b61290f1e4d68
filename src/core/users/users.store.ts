import type { Queries } from '../../db/operator-transaction';
import type { EnvironmentKind } from '../../shared/scopes';

/** Identifies a user, by the id in `transactions` or by the partner's hash. */
export type UserName = { userId: string } | { userHash: string };

export interface EnvironmentName {
  company: string;
  kind: EnvironmentKind;
}

export interface FoundUser {
  environmentId: number;
  /** A bigint as text. */
  userId: string;
  forgottenAt: Date | null;
}

/** All stored data of one user as JSON. Amounts are text in US dollars, times are UTC. */
export interface HeldAboutUser {
  user: Record<string, unknown>;
  contributions: Record<string, unknown>[];
  supports: Record<string, unknown>[];
  story_views: Record<string, unknown>[];
  /** The data from retired test environments, newest first. Absent if there are none. */
  before_resets?: HeldAboutUser[];
}

export type UsersStore = ReturnType<typeof createUsersStore>;

/** The id is text, as in all other output: JavaScript rounds numbers above 2^53. */
const userRow = `
  SELECT jsonb_build_object('user_id', u.user_id::text, 'user_hash', u.user_hash, 'name', u.first_name,
                            'created_at', u.created_at, 'forgotten_at', u.forgotten_at) AS held
    FROM users u WHERE u.environment_id = $1 AND u.user_id = $2`;

const contributionRows = `
  SELECT jsonb_build_object(
           'transaction_id', t.transaction_id, 'project_id', t.project_id,
           'amount', (t.amount_cents / 100.0)::numeric(20, 2)::text, 'currency', t.currency, 'status', t.status,
           'idempotency_key', t.idempotency_key, 'created_at', t.created_at, 'completed_at', t.completed_at,
           'bank_reference', t.bank_reference, 'value_date', t.value_date,
           'returned_amount', (t.returned_cents / 100.0)::numeric(20, 2)::text, 'corrected_at', t.corrected_at) AS held
    FROM transactions t WHERE t.environment_id = $1 AND t.user_id = $2
   ORDER BY t.created_at, t.transaction_id`;

const supportRows = `
  SELECT jsonb_build_object('project_id', s.project_id, 'first_supported_at', s.first_supported_at,
                            'last_supported_at', s.last_supported_at, 'ended_at', s.ended_at) AS held
    FROM supports s WHERE s.environment_id = $1 AND s.user_id = $2 ORDER BY s.project_id`;

const storyViewRows = `
  SELECT jsonb_build_object('story_id', s.story_id, 'project_id', s.project_id, 'title', s.title) AS held
    FROM story_views v
    JOIN stories s ON s.project_id = v.project_id AND v.viewed_story_numbers @> s.story_number
   WHERE v.environment_id = $1 AND v.user_id = $2
   ORDER BY s.story_id`;

export function createUsersStore(database: Queries) {
  return {
    /**
     * The environment, and then those that resets have retired, newest first. None if there is no
     * such company.
     */
    async findEnvironments({ company, kind }: EnvironmentName) {
      const rows = await database.runUnprepared<{ environment_id: number }>(
        `SELECT e.environment_id FROM companies c JOIN environments e USING (company_id)
          WHERE c.name = $1 AND e.kind = $2
          ORDER BY e.retired_at DESC NULLS FIRST`,
        [company, kind],
      );
      return rows.map((row) => row.environment_id);
    },

    async find(environmentId: number, name: UserName): Promise<FoundUser | undefined> {
      const [column, value] = 'userId' in name ? ['user_id', name.userId] : ['user_hash', name.userHash];
      const [row] = await database.runUnprepared<{ user_id: string; forgotten_at: Date | null }>(
        `SELECT u.user_id, u.forgotten_at FROM users u WHERE u.environment_id = $1 AND u.${column} = $2`,
        [environmentId, value],
      );
      return row && { environmentId, userId: row.user_id, forgottenAt: row.forgotten_at };
    },

    /**
     * Erases a user's hash and name, then deletes the supports and story views. Completed
     * contributions still count as raised. The first query locks the user, so concurrent
     * queries that add a support or a view wait for the end of the transaction.
     *
     * @returns the number of deleted rows; undefined if a concurrent command forgot the user
     */
    async forget({ environmentId, userId }: FoundUser) {
      const values = [environmentId, userId];
      const emptied = await database.runUnprepared(
        `UPDATE users SET user_hash = NULL, first_name = NULL, forgotten_at = statement_timestamp()
          WHERE environment_id = $1 AND user_id = $2 AND forgotten_at IS NULL
         RETURNING user_id`,
        values,
      );
      if (emptied.length === 0) return undefined;
      // Separate queries, so that they see rows that committed while the first one waited.
      const supports = await database.runUnprepared(
        `WITH removed AS (
           DELETE FROM supports WHERE environment_id = $1 AND user_id = $2 RETURNING environment_id, project_id, ended_at
         ),
         figures AS (
           INSERT INTO project_figure_changes (environment_id, project_id, amount_cents, supporters)
           SELECT removed.environment_id, removed.project_id, 0, -1 FROM removed WHERE removed.ended_at IS NULL
         )
         SELECT project_id FROM removed`,
        values,
      );
      const storyViews = await database.runUnprepared(
        'DELETE FROM story_views WHERE environment_id = $1 AND user_id = $2 RETURNING project_id',
        values,
      );
      return { supports: supports.length, storyViews: storyViews.length };
    },

    async readHeld({ environmentId, userId }: FoundUser): Promise<HeldAboutUser> {
      const read = async (text: string): Promise<Record<string, unknown>[]> => {
        const rows = await database.runUnprepared<{ held: Record<string, unknown> }>(text, [
          environmentId,
          userId,
        ]);
        return rows.map(({ held }) => held);
      };
      return {
        user: (await read(userRow))[0] ?? {},
        contributions: await read(contributionRows),
        supports: await read(supportRows),
        story_views: await read(storyViewRows),
      };
    },
  };
}
