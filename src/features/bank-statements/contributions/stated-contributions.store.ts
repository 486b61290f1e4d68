import type { Database } from '../../../db/pool/database';
import { query } from '../../../db/query';
import type { EnvironmentKind } from '../../../shared/scopes';
import { maySee } from '../../../core/contributions/who-may-see';
import type { KnownContribution } from './match-entry';

/** A contribution that a bank completed with a reference. */
export interface SettledContribution extends KnownContribution {
  reference: string;
  completedBy: number;
}

// $1 viewer
const readVisibleEnvironments = query(
  'read_visible_environments',
  `
  SELECT e.environment_id, e.transaction_tag FROM environments e
   WHERE e.retired_at IS NULL
     AND (e.environment_id = $1
          OR e.environment_id IN (SELECT l.environment_id FROM bank_links l WHERE l.bank_environment_id = $1))
  `,
);

// The environments whose company has replaced them, and whose contributions the viewer saw: the
// newest of each company, because a company can reset several times a day.
// $1 viewer
const readResetEnvironments = query(
  'read_reset_environments',
  `
  SELECT r.environment_id, r.transaction_tag
    FROM (SELECT e.environment_id, e.transaction_tag,
                 row_number() OVER (PARTITION BY e.company_id ORDER BY e.retired_at DESC) AS place
            FROM environments e
           WHERE e.retired_at IS NOT NULL AND e.purged_at IS NULL
             AND e.environment_id IN (SELECT l.environment_id FROM bank_links l WHERE l.bank_environment_id = $1)) AS r
   WHERE r.place <= 20
  `,
);

// $1 viewer, $2 environment_ids, $3 transaction_ids
const findResetIds = query(
  'find_reset_contributions',
  `
  SELECT t.transaction_id AS found FROM transactions t
   WHERE t.environment_id = ANY ($2::integer[]) AND t.transaction_id = ANY ($3::text[]) AND ${maySee}
  `,
);

// $1 viewer, $2 environment_ids, $3 references
const findResetReferences = query(
  'find_reset_references',
  `
  SELECT DISTINCT t.bank_reference AS found FROM transactions t
   WHERE t.environment_id = ANY ($2::integer[]) AND t.bank_reference = ANY ($3::text[]) AND t.status = 'completed'
     AND t.corrected_at IS NULL AND ${maySee}
  `,
);

// $1 kind
const readTags = query(
  'read_transaction_tags',
  `SELECT e.transaction_tag AS tag FROM environments e WHERE e.kind = $1 AND e.retired_at IS NULL`,
);

// $1 environment_id
const readTagsOfKind = query(
  'read_tags_visible_later',
  `
  SELECT e.transaction_tag AS tag FROM environments e
   WHERE e.kind = (SELECT o.kind FROM environments o WHERE o.environment_id = $1) AND e.retired_at IS NULL
  `,
);

// $1 viewer, $2 environment_id, $3 transaction_ids
const findContributions = query(
  'find_stated_contributions',
  `
  SELECT t.transaction_id, t.amount_cents FROM transactions t
   WHERE t.environment_id = $2 AND t.transaction_id = ANY ($3::text[]) AND ${maySee}
  `,
);

// $1 viewer, $2 environment_id, $3 references
const findSettled = query(
  'find_settled_contributions',
  `
  SELECT t.transaction_id, t.amount_cents, t.bank_reference, t.completed_by_environment_id FROM transactions t
   WHERE t.environment_id = $2 AND t.bank_reference = ANY ($3::text[]) AND t.status = 'completed'
     AND t.corrected_at IS NULL AND ${maySee}
  `,
);

// $1 environment_id, $2 transaction_ids, $3 references
const findReturns = query(
  'find_recorded_returns',
  `
  SELECT r.transaction_id, r.amount_cents, r.bank_reference FROM money_returns r
   WHERE r.environment_id = $1 AND r.transaction_id = ANY ($2::text[]) AND r.bank_reference = ANY ($3::text[])
     AND r.undoes IS NULL
  `,
);

// The newest list of a reference counts. $1 environment_id, $2 references
const readSettlementLines = query(
  'read_settlement_lines',
  `
  SELECT l.reference, l.transaction_id, l.amount_cents FROM settlement_lines l
   WHERE l.environment_id = $1 AND l.reference = ANY ($2::text[])
     AND l.revision = (SELECT max(n.revision) FROM settlement_lists n
                        WHERE n.environment_id = $1 AND n.reference = l.reference)
  `,
);

/**
 * Finds the contributions that entries may pay. It returns only contributions that the viewer may
 * see.
 */
export interface StatedContributionsStore {
  /** The environments whose contributions the viewer may see, by their tags. */
  visibleEnvironments(viewer: number): Promise<Map<string, number>>;
  /** The 20 newest environments of each company that were visible until it reset them. */
  resetEnvironments(viewer: number): Promise<{ environment_id: number; transaction_tag: string }[]>;
  /** Those of the ids that the viewer could see in these reset environments. */
  findResetIds(viewer: number, environmentIds: readonly number[], ids: readonly string[]): Promise<string[]>;
  /** Those of the references under which a bank completed contributions that the viewer saw. */
  findResetReferences(
    viewer: number,
    environmentIds: readonly number[],
    references: readonly string[],
  ): Promise<string[]>;
  /** The tags of all environments of a kind. Only these can become visible to one of this kind. */
  tagsOf(kind: EnvironmentKind): Promise<Set<string>>;
  /** The tags of all environments whose contributions it may ever see: those of its kind. */
  tagsVisibleLater(viewer: number): Promise<Set<string>>;
  findContributions(
    viewer: number,
    environmentId: number,
    ids: readonly string[],
  ): Promise<KnownContribution[]>;
  findSettled(
    viewer: number,
    environmentId: number,
    references: readonly string[],
  ): Promise<SettledContribution[]>;
  /**
   * The recorded returns under these references.
   *
   * @param environmentId the environment of the contributions, which the viewer may see
   */
  findReturns(
    environmentId: number,
    transactionIds: readonly string[],
    references: readonly string[],
  ): Promise<{ transactionId: string; cents: bigint; reference: string }[]>;
  settlementLines(
    environmentId: number,
    references: readonly string[],
  ): Promise<{ reference: string; transaction_id: string; amount_cents: string }[]>;
}

export function createStatedContributionsStore(database: Pick<Database, 'run'>): StatedContributionsStore {
  const readFound = async (...args: Parameters<typeof database.run>): Promise<string[]> =>
    (await database.run<{ found: string }>(...args)).map(({ found }) => found);
  return {
    async visibleEnvironments(viewer) {
      const rows = await database.run<{ environment_id: number; transaction_tag: string }>(
        readVisibleEnvironments,
        [viewer],
      );
      return new Map(rows.map((row) => [row.transaction_tag, row.environment_id]));
    },
    resetEnvironments: (viewer) => database.run(readResetEnvironments, [viewer]),
    findResetIds: (viewer, environmentIds, ids) => readFound(findResetIds, [viewer, environmentIds, ids]),
    findResetReferences: (viewer, environmentIds, references) =>
      readFound(findResetReferences, [viewer, environmentIds, references]),
    async tagsOf(kind) {
      const rows = await database.run<{ tag: string }>(readTags, [kind]);
      return new Set(rows.map(({ tag }) => tag));
    },
    async tagsVisibleLater(viewer) {
      const rows = await database.run<{ tag: string }>(readTagsOfKind, [viewer]);
      return new Set(rows.map(({ tag }) => tag));
    },
    async findContributions(viewer, environmentId, ids) {
      const rows = await database.run<{ transaction_id: string; amount_cents: string }>(findContributions, [
        viewer,
        environmentId,
        ids,
      ]);
      return rows.map((row) => ({
        transactionId: row.transaction_id,
        environmentId,
        amountCents: BigInt(row.amount_cents),
      }));
    },
    async findSettled(viewer, environmentId, references) {
      const rows = await database.run<{
        transaction_id: string;
        amount_cents: string;
        bank_reference: string;
        completed_by_environment_id: number;
      }>(findSettled, [viewer, environmentId, references]);
      return rows.map((row) => ({
        transactionId: row.transaction_id,
        environmentId,
        amountCents: BigInt(row.amount_cents),
        reference: row.bank_reference,
        completedBy: row.completed_by_environment_id,
      }));
    },
    async findReturns(environmentId, transactionIds, references) {
      const rows = await database.run<{
        transaction_id: string;
        amount_cents: string;
        bank_reference: string;
      }>(findReturns, [environmentId, transactionIds, references]);
      return rows.map((row) => ({
        transactionId: row.transaction_id,
        cents: BigInt(row.amount_cents),
        reference: row.bank_reference,
      }));
    },
    settlementLines: (environmentId, references) =>
      database.run(readSettlementLines, [environmentId, references]),
  };
}
