import type { Knex } from 'knex';

import { MigrationError } from '../migrations/migration-error';

/**
 * The functions that PUBLIC may execute on a node, as a JSON array. PostgreSQL grants this for each
 * new function. Citus copies grants to a node that is added, but not `REVOKE … FROM PUBLIC`.
 */
export const publicFunctions = `(
  SELECT COALESCE(json_agg(p.oid::regprocedure::text ORDER BY p.proname), '[]'::json)
    FROM pg_proc p
   WHERE p.pronamespace = 'public'::regnamespace AND has_function_privilege('public', p.oid, 'EXECUTE')
)`;

/** The condition that the coordinator has a function of this name that PUBLIC may not execute. */
export const isClosed = (name: string): string =>
  `NOT has_function_privilege('public', to_regprocedure(${name})::oid, 'EXECUTE')`;

const askNodes = `
  SELECT concat(n.nodename, ':', n.nodeport) AS node, r.success AS responds,
         ARRAY (
           SELECT f.name FROM json_array_elements_text(CASE WHEN r.success THEN r.result::json END) AS f (name)
            WHERE ${isClosed('f.name')}
         ) AS functions
    FROM run_command_on_all_nodes(?) r
    JOIN pg_dist_node n ON n.nodeid = r.nodeid
   ORDER BY n.groupid, n.nodeid`;

interface NodeFunctions {
  /** For example `10.0.0.2:5432`. */
  node: string;
  responds: boolean;
  /** The functions that PUBLIC may execute on this node, but not on the coordinator. */
  functions: string[];
}

async function askEveryNode(database: Knex): Promise<NodeFunctions[]> {
  const { rows } = await database.raw<{ rows: NodeFunctions[] }>(askNodes, [`SELECT ${publicFunctions}`]);
  return rows;
}

/**
 * Revokes EXECUTE from PUBLIC on every node for the functions that PUBLIC may not execute on the
 * coordinator. Citus sends the queries to all nodes. A repeat changes nothing.
 *
 * @param database a migration session on a coordinator, outside a transaction: the nodes are asked
 *   on other connections, which see only what is committed
 * @returns the lines of the report of `npm run migrate`
 * @throws MigrationError if PUBLIC may still execute a function, because another role owns it
 */
export async function closeFunctions(database: Knex): Promise<string[]> {
  const found = await askEveryNode(database);
  const open = found.filter(({ functions }) => functions.length > 0);
  if (open.length > 0) {
    await database.transaction(async (transaction) => {
      for (const name of new Set(open.flatMap(({ functions }) => functions)))
        await transaction.raw(`REVOKE EXECUTE ON ROUTINE ${name} FROM PUBLIC`);
    });
    for (const { node, functions } of await askEveryNode(database)) {
      if (functions.length > 0)
        throw new MigrationError(
          `On ${node}, PUBLIC may still execute ${functions.join(', ')}, because another role owns them. Revoke EXECUTE from PUBLIC there as a superuser.`,
        );
    }
  }
  return [
    ...open.map(({ node, functions }) => `EXECUTE revoked from PUBLIC on ${node}: ${functions.join(', ')}`),
    ...found
      .filter(({ responds }) => !responds)
      .map(({ node }) => `privileges of functions not checked on ${node}: it does not respond`),
  ];
}
