import type { Database } from '../../db/pool/database';
import { statement } from '../../db/statement';
import type { EnvironmentKind } from '../../shared/scopes';

/** The number of live key pairs of all companies that expire within 7 days. */
export interface ExpiringKeyPairs {
  readonly kind: EnvironmentKind;
  /**
   * The number of pairs in a normal rotation: another live pair with the same environment and
   * scopes expires later.
   */
  readonly withSuccessor: number;
  /** The number of other pairs. The owner loses access when such a pair expires. */
  readonly withoutSuccessor: number;
}

export interface ExpiringKeyPairsStore {
  /** One row for each kind of environment with such pairs. */
  count: () => Promise<ExpiringKeyPairs[]>;
}

const countExpiringKeyPairs = statement(
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
  with_successor: number;
  without_successor: number;
}

export function createExpiringKeyPairsStore(database: Database): ExpiringKeyPairsStore {
  return {
    async count() {
      const rows = await database.run<CountRow>(countExpiringKeyPairs, []);
      return rows.map((row) => ({
        kind: row.kind,
        withSuccessor: row.with_successor,
        withoutSuccessor: row.without_successor,
      }));
    },
  };
}
