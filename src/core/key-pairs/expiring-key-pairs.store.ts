import type { Database } from '../../db/pool/database';
import { query } from '../../db/query';
import type { Reading } from '../../metrics/readings';
import { type EnvironmentKind, environmentKinds } from '../../shared/scopes';

const countExpiringKeyPairs = query(
  'count_expiring_key_pairs',
  `SELECT e.kind,
          count(*) FILTER (WHERE succession.has_successor)::integer AS with_successor,
          count(*) FILTER (WHERE NOT succession.has_successor)::integer AS without_successor
     FROM key_pairs k
     JOIN environments e ON e.environment_id = k.environment_id
    CROSS JOIN LATERAL (
          SELECT EXISTS (
            SELECT FROM key_pairs other
             WHERE other.environment_id = k.environment_id AND other.scopes = k.scopes AND other.revoked_at IS NULL
               AND (other.expires_at IS NULL OR other.expires_at > k.expires_at)) AS has_successor) succession
    WHERE k.revoked_at IS NULL AND k.expires_at > now() AND k.expires_at <= now() + interval '7 days'
    GROUP BY e.kind`,
);

interface CountRow {
  kind: EnvironmentKind;
  /**
   * Pairs in a normal rotation: another live pair with the same environment and scopes expires
   * later.
   */
  with_successor: number;
  /** Other pairs. The owner loses access when such a pair expires. */
  without_successor: number;
}

/** Counts the live key pairs of all companies that expire within 7 days. */
export const expiringKeyPairsReading = (database: Database): Reading => ({
  gauges: [
    {
      name: 'contribution_expiring_key_pairs',
      help: 'Active key pairs of the installation that expire within 7 days, by whether another pair replaces them.',
      labelNames: ['environment_kind', 'successor'],
    },
  ],
  isOfInstallation: true,
  async read() {
    const rows = await database.run<CountRow>(countExpiringKeyPairs, []);
    return [
      environmentKinds.flatMap((kind) => {
        const counted = rows.find((row) => row.kind === kind);
        return [
          { labels: { environment_kind: kind, successor: 'yes' }, value: counted?.with_successor ?? 0 },
          { labels: { environment_kind: kind, successor: 'no' }, value: counted?.without_successor ?? 0 },
        ];
      }),
    ];
  },
});
