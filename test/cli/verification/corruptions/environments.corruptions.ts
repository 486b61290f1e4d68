import { change, inEnvironment, type Concerned, type Corruption, type CorruptedWorld } from './corruption';

/** Links a test environment with another environment. */
const linkTest = (
  bank: (ids: CorruptedWorld) => number,
  without = '',
): Pick<Corruption, 'sql' | 'finds'> => ({
  sql: (ids) =>
    `${without} INSERT INTO bank_links (environment_id, bank_environment_id, kind)
     VALUES (${ids.testEnvironmentId}, ${bank(ids)}, 'test')`,
  finds: (ids) => [{ environment_id: ids.testEnvironmentId, bank_environment_id: bank(ids) }],
});
const ofLink = ({ bankedEnvironmentId }: CorruptedWorld): string => `environment_id = ${bankedEnvironmentId}`;
const findsLink = ({ bankedEnvironmentId, bankEnvironmentId }: CorruptedWorld): Concerned[] => [
  { environment_id: bankedEnvironmentId, bank_environment_id: bankEnvironmentId },
];

export const environmentPlants: readonly Corruption[] = [
  {
    check: 'link-within-kind',
    problem: 'a test environment is linked with a production environment',
    ...linkTest(({ bankEnvironmentId }) => bankEnvironmentId),
  },
  {
    check: 'link-within-kind',
    problem: 'one of the two environments does not exist',
    ...linkTest(() => 999999),
  },
  {
    check: 'link-within-kind',
    problem: 'an environment is linked with itself',
    ...linkTest(
      ({ testEnvironmentId }) => testEnvironmentId,
      'ALTER TABLE bank_links DROP CONSTRAINT bank_links_not_itself;',
    ),
  },
  {
    check: 'link-within-kind',
    problem: 'its kind differs from that of its environments',
    sql: change('bank_links', `kind = 'test'`, ofLink),
    finds: findsLink,
  },
  {
    check: 'link-within-kind',
    problem: 'it ended before it began',
    sql: change('bank_links', `unlinked_at = linked_at - interval '1 second'`, ofLink, [
      'bank_links_unlinked_after_linked',
    ]),
    finds: findsLink,
  },
  {
    check: 'link-within-kind',
    problem: 'it is active more than once',
    sql: (ids) =>
      `DROP INDEX bank_links_linked_once;
       INSERT INTO bank_links (environment_id, bank_environment_id, kind)
       SELECT environment_id, bank_environment_id, kind FROM bank_links WHERE ${ofLink(ids)}`,
    finds: findsLink,
  },
  {
    check: 'tag-once',
    problem: 'one tag for the environments',
    sql: ({ testEnvironmentId, bankEnvironmentId }) =>
      `ALTER TABLE environments DROP CONSTRAINT environments_transaction_tag_key;
       UPDATE environments SET transaction_tag =
         (SELECT transaction_tag FROM environments WHERE environment_id = ${testEnvironmentId})
        WHERE environment_id = ${bankEnvironmentId}`,
    finds: ({ testEnvironmentId, bankEnvironmentId }) => [
      { environment_id: Math.min(testEnvironmentId, bankEnvironmentId) },
    ],
  },
  {
    check: 'environment-exists',
    problem: 'of an environment that does not exist',
    sql: (ids) => `DELETE FROM environments WHERE ${inEnvironment(ids)}`,
    // Its transactions, events, returns, supports, users and key pairs.
    finds: ({ environmentId }) => Array.from({ length: 6 }, () => ({ environment_id: environmentId })),
    also: ['project-figures-agree'],
  },
];
