import {
  change,
  completedRow,
  findsAllCompleted,
  findsCompleted,
  inEnvironment,
  type Concerned,
  type Corruption,
  type CorruptedWorld,
} from './corruption';

const findsBanks = ({ bankedEnvironmentId, completedByBank }: CorruptedWorld): Concerned[] => [
  { environment_id: bankedEnvironmentId, transaction_id: completedByBank },
];
const ago = (days: number): string => `now() - interval '${days} days'`;

/** Another link between this environment and the bank. */
const link =
  (linkedAt: string, unlinkedAt: string) =>
  ({ environmentId, bankEnvironmentId }: CorruptedWorld): string =>
    `INSERT INTO bank_links (environment_id, bank_environment_id, kind, linked_at, unlinked_at)
     VALUES (${environmentId}, ${bankEnvironmentId}, 'production', ${linkedAt}, ${unlinkedAt})`;
const completedAt = (ids: CorruptedWorld): string =>
  `(SELECT completed_at FROM transactions WHERE ${completedRow(ids)})`;
const createdAgo = (days: number) =>
  change('transactions', `created_at = ${ago(days)}`, ({ completed, completedByBank }) => {
    return `transaction_id IN ('${completed}', '${completedByBank}')`;
  });
const anyLink = (): string => 'true';

/** Completions that were certainly not allowed. */
export const rightsPlants: readonly Corruption[] = [
  {
    check: 'completed-by-right',
    problem: 'its own environment completed it although a bank was linked',
    sql: link(ago(1), 'NULL'),
    finds: findsAllCompleted,
  },
  {
    check: 'completed-by-right',
    problem: 'its own environment completed it although a bank was linked',
    sql: (ids) => `${createdAgo(2)(ids)}; ${link(ago(3), ago(1))(ids)}`,
    finds: findsCompleted,
    // The same change makes the bank's transaction older than its link, which is no violation.
  },
  {
    check: 'completed-by-right',
    problem: 'completed it but was not its bank',
    sql: () => 'DELETE FROM bank_links',
    finds: findsBanks,
    also: ['environment-event-well-formed'],
  },
  {
    check: 'completed-by-right',
    problem: 'completed it but was not its bank',
    sql: change('bank_links', `linked_at = ${ago(3)}, unlinked_at = ${ago(2)}`, anyLink),
    finds: findsBanks,
  },
  {
    check: 'completed-by-right',
    problem: 'completed it but was not its bank',
    sql: (ids) =>
      `${createdAgo(3)(ids)}; ${change('bank_links', `linked_at = ${ago(4)}, unlinked_at = ${ago(2)}, voided_at = ${ago(1)}`, anyLink)(ids)}`,
    finds: findsBanks,
  },
  {
    check: 'completed-by-live-key',
    problem: 'it was completed by a key pair that did not exist yet',
    sql: change('key_pairs', `created_at = now() + interval '1 hour'`, inEnvironment),
    finds: findsAllCompleted,
  },
  ...['revoked_at', 'expires_at'].map((column): Corruption => ({
    check: 'completed-by-live-key',
    problem: 'it was completed by a key pair that had been revoked or had expired',
    sql: change('key_pairs', `${column} = now() - interval '1 hour'`, inEnvironment),
    finds: findsAllCompleted,
  })),
];

/** Similar completions that are allowed, or cannot be distinguished from allowed ones. */
export const allowed: readonly { situation: string; sql: (ids: CorruptedWorld) => string }[] = [
  {
    situation: 'a bank completes after its link has ended what was created while it was linked',
    sql: (ids) =>
      `${createdAgo(2)(ids)}; ${change('bank_links', `linked_at = ${ago(3)}, unlinked_at = ${ago(1)}`, anyLink)(ids)}`,
  },
  {
    situation: 'a company completes what was created before a bank was linked, and the link has ended',
    sql: (ids) => `${createdAgo(4)(ids)}; ${link(ago(3), ago(1))(ids)}`,
  },
  {
    situation: 'a bank completes, and its link is voided later',
    sql: change('bank_links', 'unlinked_at = now(), voided_at = now()', anyLink),
  },
  {
    situation: 'a company completes what was created during a link that was voided',
    sql: (ids) =>
      `${createdAgo(2)(ids)}; ${link(ago(3), ago(1))(ids)};
       UPDATE bank_links SET voided_at = now() WHERE environment_id = ${ids.environmentId}`,
  },
  {
    situation: 'a company completes, and a bank is linked later',
    sql: (ids) => link(`${completedAt(ids)} + interval '1 second'`, 'NULL')(ids),
  },
  {
    situation: 'a company completes, and a bank was linked half a minute before',
    sql: (ids) => link(`${completedAt(ids)} - interval '30 seconds'`, 'NULL')(ids),
  },
  {
    situation: 'a key pair completes, and is revoked later',
    sql: change('key_pairs', 'revoked_at = now()', inEnvironment),
  },
];
