import { setTimeout as delay } from 'node:timers/promises';

import type { Database } from '../pool/database';
import { tableKinds } from './table-kinds';

/** The copies of a reference table on these nodes differ from the coordinator's copy. */
export interface DifferingCopies {
  table: string;
  /** For example `10.0.0.2:5432`. */
  nodes: string[];
}

const referenceTables = Object.keys(tableKinds).filter((table) => tableKinds[table] === 'reference');

/** Runs on every node: the number of rows of each table, and a hash that ignores their order. */
const askNode = `SELECT json_build_object(${referenceTables
  .map(
    (table) =>
      `'${table}', (SELECT concat(count(*), ' ', sum(hash_record_extended(c, 0))) FROM public.${table} c)`,
  )
  .join(', ')})`;

const askNodes = `
  SELECT concat(n.nodename, ':', n.nodeport) AS name, r.success, r.result
    FROM run_command_on_all_nodes($1) r
    JOIN pg_dist_node n ON n.nodeid = r.nodeid
   ORDER BY n.groupid, n.nodeid`;

/**
 * The number of comparisons before a difference counts. The nodes share no snapshot, so a change
 * that commits meanwhile looks like a difference.
 */
const attempts = 4;
const pauseMs = 500;

/**
 * Compares the copies of the reference tables on all nodes that respond. Each node reads these
 * tables once.
 *
 * @param database connected to a coordinator, with a role that may read the tables
 */
export async function findDifferingCopies(
  database: Pick<Database, 'runUnprepared'>,
): Promise<DifferingCopies[]> {
  for (let attempt = 1; ; attempt += 1) {
    const found = await compareOnce(database);
    if (found.length === 0 || attempt === attempts) return found;
    await delay(pauseMs);
  }
}

async function compareOnce(database: Pick<Database, 'runUnprepared'>): Promise<DifferingCopies[]> {
  const rows = await database.runUnprepared<{ name: string; success: boolean; result: string }>(askNodes, [
    askNode,
  ]);
  const [coordinator, ...workers] = rows
    .filter(({ success }) => success)
    .map(({ name, result }) => ({ name, copies: JSON.parse(result) as Record<string, string> }));
  return referenceTables
    .map((table) => ({
      table,
      nodes: workers
        .filter(({ copies }) => copies[table] !== coordinator?.copies[table])
        .map(({ name }) => name),
    }))
    .filter(({ nodes }) => nodes.length > 0);
}
