import { setTimeout as delay } from 'node:timers/promises';

import { readIsCluster } from '../../db/cluster';
import type { Database } from '../../db/pool/database';
import { problemSeparator, type VerificationCheck } from './verification-check';

/** The ids of the violating rows, and the problem. */
export interface Violation {
  environment_id: number | null;
  problem: string;
  transaction_id?: string;
  event_id?: string;
  return_id?: string;
  file_id?: string;
  /** A bigint as text. */
  user_id?: string;
  project_id?: number;
  bank_environment_id?: number;
  /** The position of an entry in the audit log; a bigint as text. */
  position?: string;
}

/** The number of all violations, and the first of them. */
interface Findings {
  total: number;
  first: Violation[];
}

interface Found extends Omit<Violation, 'event_id' | 'return_id'> {
  total: string;
  event_id?: string | null;
  return_id?: string | null;
}

/** Each call runs one query in a separate read-only transaction. */
export type VerificationStore = ReturnType<typeof createVerificationStore>;

/** Makes PostgreSQL read tables without indexes, even if the server turns sequential scans off. */
const withoutIndexes = {
  enable_seqscan: 'on',
  enable_indexscan: 'off',
  enable_indexonlyscan: 'off',
  enable_bitmapscan: 'off',
} as const;

/**
 * The servers of a cluster share no snapshot, so a change that commits meanwhile looks wrong. Each
 * attempt then finds other rows, but corrupt rows stay.
 */
const attemptsOnCluster = 5;

/** @param pauseMs between two attempts on a cluster */
export function createVerificationStore(
  database: Pick<Database, 'runReadOnly' | 'runUnprepared'>,
  pauseMs = 500,
) {
  let cluster: Promise<boolean> | undefined;
  const isCluster = (): Promise<boolean> => (cluster ??= readIsCluster(database));

  async function findOnce(
    check: VerificationCheck,
    parameters: readonly unknown[],
    limit: number,
  ): Promise<Findings> {
    const rows = await database.runReadOnly<Found>(
      `SELECT count(*) OVER () AS total, found.* FROM (${check.text}) AS found
        WHERE found.problem <> '' ORDER BY 2, 3 LIMIT ${limit}`,
      parameters,
      check.readsTablesOnly ? withoutIndexes : {},
    );
    return { total: Number(rows[0]?.total ?? 0), first: rows.map(violationOf) };
  }

  return {
    async listEnvironments() {
      const rows = await database.runReadOnly<{ environment_id: number }>(
        'SELECT environment_id FROM environments ORDER BY environment_id',
        [],
        withoutIndexes,
      );
      return rows.map((row) => row.environment_id);
    },

    async countRows(table: VerificationCheck['table']) {
      const [row] = await database.runReadOnly<{ count: string }>(`SELECT count(*) FROM ${table}`, []);
      return Number(row?.count);
    },

    /**
     * The violations of one check, ordered by id.
     *
     * @param parameters for the check's query, such as the environment_id
     * @param limit the maximum number of listed violations; all are counted
     */
    async find(
      check: VerificationCheck,
      parameters: readonly unknown[],
      limit: number,
    ): Promise<{ total: number; first: Violation[] }> {
      let found = await findOnce(check, parameters, limit);
      for (let attempt = 2; attempt <= attemptsOnCluster; attempt += 1) {
        if (found.total === 0 || !(await isCluster())) break;
        await delay(pauseMs);
        found = inBoth(found, await findOnce(check, parameters, limit));
      }
      return found;
    },
  };
}

/** The problems that two attempts found. If not all are listed, those of the later attempt. */
function inBoth(earlier: Findings, later: Findings): Findings {
  const isListed = ({ total, first }: Findings): boolean => total === first.length;
  if (!isListed(earlier) || !isListed(later)) return later;
  const known = new Map(earlier.first.map((violation) => [idsOf(violation), problemsIn(violation)]));
  const first = later.first
    .map((violation) => {
      const before = known.get(idsOf(violation)) ?? [];
      const problems = problemsIn(violation).filter((problem) => before.includes(problem));
      return { ...violation, problem: problems.join(problemSeparator) };
    })
    .filter(({ problem }) => problem !== '');
  return { total: first.length, first };
}

const idsOf = (violation: Violation): string => JSON.stringify({ ...violation, problem: '' });
const problemsIn = ({ problem }: Violation): string[] => problem.split(problemSeparator);

function violationOf(row: Found): Violation {
  const {
    event_id: eventId,
    return_id: returnId,
    ...violation
  } = row as Omit<Found, 'total'> & { total?: string };
  delete violation.total;
  // A missing event or return has no id.
  return {
    ...violation,
    ...(typeof eventId === 'string' && { event_id: eventId }),
    ...(typeof returnId === 'string' && { return_id: returnId }),
  };
}
