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

/** Retires a test environment without a reset. */
const retire = ({ testEnvironmentId }: CorruptedWorld): string =>
  `UPDATE environments SET retired_at = now() WHERE environment_id = ${testEnvironmentId}`;
const findsRetired = ({ testEnvironmentId }: CorruptedWorld): Concerned[] => [
  { environment_id: testEnvironmentId },
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
    problem: 'it was voided before it ended',
    sql: change('bank_links', 'voided_at = now()', ofLink, ['bank_links_voided_after_unlinked']),
    finds: findsLink,
  },
  {
    check: 'link-within-kind',
    problem: 'it was voided although its bank is simulated',
    sql: ({ testEnvironmentId }) =>
      `ALTER TABLE bank_links DROP CONSTRAINT bank_links_none_voided_of_simulated_bank;
       INSERT INTO bank_links (environment_id, bank_environment_id, kind, linked_at, unlinked_at, voided_at)
       VALUES (${testEnvironmentId}, -1, 'test', now(), now(), now())`,
    finds: ({ testEnvironmentId }) => [{ environment_id: testEnvironmentId, bank_environment_id: -1 }],
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
      `DROP INDEX environments_transaction_tag_key;
       UPDATE environments SET transaction_tag =
         (SELECT transaction_tag FROM environments WHERE environment_id = ${testEnvironmentId})
        WHERE environment_id = ${bankEnvironmentId}`,
    finds: ({ testEnvironmentId, bankEnvironmentId }) => [
      { environment_id: Math.min(testEnvironmentId, bankEnvironmentId) },
    ],
  },
  {
    check: 'reset-complete',
    problem: 'a production environment is retired',
    sql: ({ environmentId }) =>
      `ALTER TABLE environments DROP CONSTRAINT environments_only_tests_retire;
       UPDATE environments SET retired_at = now() WHERE environment_id = ${environmentId}`,
    finds: ({ environmentId }) => [{ environment_id: environmentId }],
  },
  {
    check: 'reset-complete',
    problem: 'it is retired but has a key pair that was not revoked',
    sql: retire,
    finds: findsRetired,
  },
  {
    check: 'reset-complete',
    problem: 'it is retired but has an active bank link',
    sql: (ids) => `${linkTest(() => -1).sql(ids)}; ${retire(ids)}`,
    finds: findsRetired,
  },
  {
    check: 'reset-complete',
    problem: 'it is retired and no environment has replaced it',
    sql: retire,
    finds: findsRetired,
  },
  {
    check: 'reset-complete',
    problem: 'one company has several environments of kind test that are not retired',
    sql: ({ testEnvironmentId }) =>
      `DROP INDEX environments_one_of_each_kind;
       INSERT INTO environments (company_id, kind, transaction_tag)
       SELECT company_id, kind, 'VZVZ' FROM environments WHERE environment_id = ${testEnvironmentId}`,
    finds: findsRetired,
  },
  {
    check: 'environment-exists',
    problem: 'of an environment that does not exist',
    sql: (ids) => `DELETE FROM environments WHERE ${inEnvironment(ids)}`,
    // Its transactions, events, returns, statements, supports, users and key pairs.
    finds: ({ environmentId }) => Array.from({ length: 7 }, () => ({ environment_id: environmentId })),
    also: ['project-figures-agree'],
  },
  {
    check: 'environment-exists',
    problem: 'of an environment that was purged',
    sql: (ids) =>
      `ALTER TABLE environments DROP CONSTRAINT environments_only_tests_retire;
       UPDATE environments SET retired_at = now() - interval '8 days', purged_at = now() WHERE ${inEnvironment(ids)}`,
    // The key pairs stay.
    finds: ({ environmentId }) => Array.from({ length: 6 }, () => ({ environment_id: environmentId })),
    also: ['reset-complete'],
  },
];
