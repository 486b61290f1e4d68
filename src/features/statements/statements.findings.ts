import type { Database } from '../../db/pool/database';
import { isOutdated, matchingRules } from './matching/matching-rules';
import type { Finding, Findings } from '../../operator/cli/doctor/finding';

export interface RulesState {
  /** Files that were matched by earlier rules than those of this version. */
  outdatedFiles: number;
  /** Environments with results of newer rules. This version compares none of their entries. */
  newerEnvironments: number;
}

/** The files and environments whose bank statements were matched by other rules. */
export async function readRulesState(
  database: Pick<Database, 'runUnprepared'>,
  rules = matchingRules,
): Promise<RulesState> {
  const [files] = await database.runUnprepared<{ outdated: number }>(
    `SELECT count(*)::integer AS outdated FROM statement_files f WHERE ${isOutdated('$1')}`,
    [rules],
  );
  const [environments] = await database.runUnprepared<{ newer: number }>(
    'SELECT count(*)::integer AS newer FROM matching_progress p WHERE p.rules > $1',
    [rules],
  );
  return { outdatedFiles: files?.outdated ?? 0, newerEnvironments: environments?.newer ?? 0 };
}

export function judgeRules({ outdatedFiles, newerEnvironments }: RulesState): Finding {
  const check = 'bank statements';
  if (newerEnvironments > 0) {
    const environments = newerEnvironments === 1 ? 'one environment' : `${newerEnvironments} environments`;
    return {
      check,
      status: 'problem',
      detail: `a newer version has matched statements of ${environments}, so this version matches none of them: start the newer version, or use it to revert its migrations`,
    };
  }
  const detail =
    outdatedFiles === 0
      ? 'none was matched by earlier rules'
      : `${outdatedFiles} matched by earlier rules: the service matches them again when no other file waits`;
  return { check, status: 'ok', detail };
}

/** Whether this version matched the bank statements. */
export const statementFindings: Findings = {
  checks: ['bank statements'],
  examine: async ({ read }) => [judgeRules(await read((statements) => readRulesState(statements)))],
};
