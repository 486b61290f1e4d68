import type { Queries } from '../../db/operator-transaction';

/** Acts of one kind by a key pair. */
export interface ActsOfKeyPair {
  /** The type of an event, `reconciliation.decided` or `settlement_list.listed`. */
  what: string;
  count: number;
  firstAt: Date;
  lastAt: Date;
  /** Contributions, at most `mostIds`. Empty for other acts. */
  transactionIds: string[];
}

export const mostIds = 100;

/**
 * A query for the environments in which a pair acts. A bank also acts in those to which it was ever
 * linked.
 *
 * @param apiKey the place of its parameter
 */
export const environmentsOfKeyPair = (apiKey: string): string => `
  WITH own AS (
    SELECT o.environment_id
      FROM key_pairs k
      JOIN environments e ON e.environment_id = k.environment_id
      JOIN environments o ON o.company_id = e.company_id AND o.kind = e.kind
     WHERE k.api_key = ${apiKey}
  )
  SELECT own.environment_id FROM own
  UNION
  SELECT l.environment_id FROM own JOIN bank_links l ON l.bank_environment_id = own.environment_id`;

const acts = [
  `SELECT v.type AS what, count(*)::integer AS count, min(v.recorded_at) AS "firstAt", max(v.recorded_at) AS "lastAt",
          (array_agg(DISTINCT v.transaction_id))[:${mostIds}] AS "transactionIds"
     FROM events v
    WHERE v.environment_id = ANY ($1::integer[]) AND v.actor_api_key = $2 AND v.recorded_at >= $3
    GROUP BY v.type`,
  `SELECT 'reconciliation.decided' AS what, count(*)::integer AS count, min(d.decided_at) AS "firstAt",
          max(d.decided_at) AS "lastAt", '{}'::text[] AS "transactionIds"
     FROM (${['line_decisions', 'day_choices', 'account_rules']
       .map((table) => `SELECT t.environment_id, t.decided_by, t.decided_at FROM ${table} t`)
       .concat('SELECT m.environment_id, m.changed_by, m.changed_at FROM month_changes m')
       .join(' UNION ALL ')}) AS d
    WHERE d.environment_id = ANY ($1::integer[]) AND d.decided_by = $2 AND d.decided_at >= $3
   HAVING count(*) > 0`,
  `SELECT 'settlement_list.listed' AS what, count(*)::integer AS count, min(s.listed_at) AS "firstAt",
          max(s.listed_at) AS "lastAt", '{}'::text[] AS "transactionIds"
     FROM settlement_lists s
    WHERE s.environment_id = ANY ($1::integer[]) AND s.listed_by_api_key = $2 AND s.listed_at >= $3
   HAVING count(*) > 0`,
];

export function createKeyActivityStore(database: Queries) {
  return {
    /**
     * What a key pair wrote since a time. Reads leave no rows.
     *
     * @returns undefined if there is no such pair, also no ended one
     */
    async since(apiKey: string, since: Date) {
      const environments = await database.runUnprepared<{ environment_id: number }>(
        environmentsOfKeyPair('$1'),
        [apiKey],
      );
      if (environments.length === 0) return undefined;
      const ids = environments.map(({ environment_id: id }) => id);
      const found: ActsOfKeyPair[] = [];
      for (const query of acts)
        found.push(...(await database.runUnprepared<ActsOfKeyPair>(query, [ids, apiKey, since])));
      return found.sort((one, other) => one.firstAt.getTime() - other.firstAt.getTime());
    },
  };
}
