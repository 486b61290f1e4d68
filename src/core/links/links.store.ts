import type { Database } from '../../db/pool/database';
import { query } from '../../db/query';
import { pageOf } from '../../shared/cursor';
import type { LinkPageKey, LinkRole } from './links.cursor';

/** An active bank link, as seen by one of its two companies. */
export interface Link {
  /** A `bank` completes the caller's contributions. For a `company`, the caller is the bank. */
  role: LinkRole;
  companyId: string;
  companyName: string;
  linkedAt: Date;
}

export type LinksStore = ReturnType<typeof createLinksStore>;

// $1 environment_id, $2 to $4 the page key or null, $5 the maximum number of rows. LIMIT 1 forces
// index lookups: PostgreSQL would otherwise scan small tables completely.
const listLinks = query(
  'list_links',
  `
  SELECT linked.role, other.company_id AS "companyId", other.name AS "companyName", linked.linked_at AS "linkedAt",
         (extract(epoch FROM linked.linked_at) * 1000000)::bigint AS microseconds
    FROM (
      SELECT 'bank' AS role, l.bank_environment_id AS environment_id, l.linked_at
        FROM bank_links l WHERE l.environment_id = $1 AND l.unlinked_at IS NULL
       UNION ALL
      SELECT 'company', l.environment_id, l.linked_at
        FROM bank_links l WHERE l.bank_environment_id = $1 AND l.unlinked_at IS NULL
    ) AS linked
   CROSS JOIN LATERAL (
      SELECT c.company_id, c.name
        FROM environments e JOIN companies c USING (company_id)
       WHERE e.environment_id = linked.environment_id
       LIMIT 1
    ) AS other
   WHERE $2::bigint IS NULL
      OR (linked.linked_at, linked.role, other.company_id)
         > (timestamptz 'epoch' + $2::bigint * interval '1 microsecond', $3::text, $4::uuid)
   ORDER BY linked.linked_at, linked.role, other.company_id
   LIMIT $5
  `,
);

export function createLinksStore(database: Pick<Database, 'run'>) {
  return {
    /** At most `limit` active links of an environment, oldest first. */
    async list(environmentId: number, { limit, after }: { limit: number; after: LinkPageKey | undefined }) {
      const rows = await database.run<Link & { microseconds: string }>(listLinks, [
        environmentId,
        ...(after ?? [null, null, null]),
        limit + 1,
      ]);
      return pageOf(rows, limit, (row) => [Number(row.microseconds), row.role, row.companyId]);
    },
  };
}
