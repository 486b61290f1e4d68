import {
  change,
  findsSupport,
  inEnvironment,
  type Concerned,
  type Corruption,
  type CorruptedWorld,
} from './corruption';

const findsUser = ({ environmentId, userId }: CorruptedWorld): Concerned[] => [
  { environment_id: environmentId, user_id: userId },
];
const withoutTransaction = 'the support has no completed transaction, or its user is forgotten';
const otherTimes = 'the times of the support do not match its completed transactions';
const forget = change('users', 'forgotten_at = now(), user_hash = NULL, first_name = NULL', inEnvironment);
const deleteFrom = (table: string, ids: CorruptedWorld): string =>
  `DELETE FROM ${table} WHERE ${inEnvironment(ids)}`;

export const userPlants: readonly Corruption[] = [
  {
    check: 'support-agrees',
    problem: 'the support of a completed transaction is missing',
    sql: (ids) => deleteFrom('supports', ids),
    finds: findsSupport,
    also: ['project-figures-agree'],
  },
  {
    check: 'support-agrees',
    problem: withoutTransaction,
    sql: (ids) =>
      `INSERT INTO supports SELECT environment_id, user_id, project_id + 1, first_supported_at, last_supported_at
         FROM supports WHERE ${inEnvironment(ids)}`,
    finds: (ids) => findsSupport({ ...ids, projectId: ids.projectId + 1 }),
    also: ['project-figures-agree'],
  },
  {
    check: 'support-agrees',
    problem: withoutTransaction,
    sql: (ids) => `${forget(ids)}; ${deleteFrom('story_views', ids)}`,
    finds: findsSupport,
  },
  ...[
    `first_supported_at = first_supported_at - interval '1 second'`,
    `last_supported_at = last_supported_at + interval '1 second'`,
    `last_supported_at = first_supported_at - interval '1 second'`,
  ].map((set): Corruption => ({
    check: 'support-agrees',
    problem: otherTimes,
    sql: change('supports', set, inEnvironment, ['supports_last_not_before_first']),
    finds: findsSupport,
  })),
  {
    check: 'support-agrees',
    problem: 'the support has ended although a completed transaction was not fully returned',
    sql: change('supports', 'ended_at = now()', inEnvironment),
    finds: findsSupport,
    also: ['project-figures-agree'],
  },
  {
    check: 'support-agrees',
    problem: 'the support has not ended although all completed transactions were returned',
    sql: change(
      'transactions',
      'returned_cents = amount_cents',
      (ids) => `${inEnvironment(ids)} AND status = 'completed' AND corrected_at IS NULL`,
    ),
    finds: findsSupport,
    also: ['contribution-totals-agree', 'project-figures-agree', 'returned-amount-agrees'],
  },
  {
    check: 'forgotten-user-emptied',
    problem: 'a forgotten user still has data',
    sql: (ids) =>
      `${change('users', 'forgotten_at = now()', inEnvironment, ['users_emptied_when_forgotten'])(ids)};
       ${deleteFrom('supports', ids)}; ${deleteFrom('story_views', ids)}`,
    finds: findsUser,
    also: ['project-figures-agree'],
  },
  {
    check: 'forgotten-user-emptied',
    problem: 'a forgotten user still has data',
    sql: (ids) => `${forget(ids)}; ${deleteFrom('supports', ids)}`,
    finds: findsUser,
    also: ['project-figures-agree'],
  },
];
