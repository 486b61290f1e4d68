import type { Database } from '../../db/pool/database';
import { statement } from '../../db/statement';
import type { LinkPageKey, LinkRole } from './links.cursor';

/** A bank link that is in force, as one of its two sides sees it. */
export interface Link {
  /**
   * `bank`: the other company completes the caller's contributions; `company`: the caller completes
   * theirs.
   */
  role: LinkRole;
  companyId: string;
  companyName: string;
  linkedAt: Date;
}

export interface LinksStore {
  /** The links of an environment that are in force, oldest first, at most `limit`. */
  list(
    environmentId: number,
    page: { limit: number; after: LinkPageKey | undefined },
  ): Promise<{ links: Link[]; next: LinkPageKey | undefined }>;
}

// $1 environment_id, $2 to $4 the page's key or null, $5 how many. LIMIT 1 keeps the lookups by
// key: PostgreSQL would otherwise join small tables by reading them whole.
const listLinks = statement(
  'list_links',
  `
  SELECT linked.role, other.company_id, other.name, linked.linked_at,
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

interface LinkRow {
  role: LinkRole;
  company_id: string;
  name: string;
  linked_at: Date;
  microseconds: string;
}

export function createLinksStore(database: Pick<Database, 'run'>): LinksStore {
  return {
    async list(environmentId, { limit, after = [null, null, null] }) {
      const rows = await database.run<LinkRow>(listLinks, [environmentId, ...after, limit + 1]);
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      return {
        links: shown.map((row) => ({
          role: row.role,
          companyId: row.company_id,
          companyName: row.name,
          linkedAt: row.linked_at,
        })),
        next:
          rows.length > limit && last ? [Number(last.microseconds), last.role, last.company_id] : undefined,
      };
    },
  };
}
