import type { Corruption } from './corruption';

/** Nothing is counted yet, so every total is one too many. */
const plant = (problem: string, values: string): Corruption => ({
  check: 'contribution-totals-agree',
  problem,
  sql: ({ environmentId, projectId }) =>
    `INSERT INTO contribution_totals VALUES
       (${environmentId}, 'created', '2026-11-20', ${projectId}, 0, '-infinity', '-infinity', ${values})`,
  finds: ({ environmentId, projectId }) => [{ environment_id: environmentId, project_id: projectId }],
});

export const totalsPlants: readonly Corruption[] = [
  plant('a number of contributions does not match', '1, 0, 0'),
  plant('a sum of amounts does not match', '0, 1, 0'),
  plant('a sum of returns does not match', '0, 0, 1'),
];
