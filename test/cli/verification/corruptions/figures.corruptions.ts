import type { Concerned, Corruption, CorruptedWorld } from './corruption';

/** Figures of production belong to no single environment. */
const findsProject = ({ projectId }: CorruptedWorld): Concerned[] => [
  { environment_id: null, project_id: projectId },
];
const raised = 'the raised amount does not match its completed transactions';
const supporters = 'the number of supporters does not match its supports';

export const figurePlants: readonly Corruption[] = [
  ...(
    [
      ['UPDATE project_figures SET raised_cents = raised_cents + 1', raised],
      ['UPDATE project_figures SET supporters_count = supporters_count - 1', supporters],
      ['DELETE FROM project_figures', supporters],
      ['UPDATE project_figure_changes SET amount_cents = amount_cents + 1', raised],
      ['UPDATE project_figure_changes SET supporters = 0', supporters],
      ['DELETE FROM project_figure_changes', raised],
    ] as const
  ).map(([change, problem]): Corruption => ({
    check: 'project-figures-agree',
    problem,
    sql: ({ projectId }) => `${change} WHERE project_id = ${projectId}`,
    finds: findsProject,
  })),
  {
    check: 'project-figures-agree',
    problem: raised,
    sql: ({ projectId, testEnvironmentId }) =>
      `INSERT INTO project_figures VALUES (${testEnvironmentId}, ${projectId}, 100, 0)`,
    finds: ({ projectId, testEnvironmentId }) => [
      { environment_id: testEnvironmentId, project_id: projectId },
    ],
  },
];
