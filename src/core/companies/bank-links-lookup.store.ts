import type { Database } from '../../db/pool/database';
import { query } from '../../db/query';
import type { EnvironmentKind } from '../../shared/scopes';
import type { BankLink } from './bank-links.store';

/** A link as one of its two companies sees it. */
export interface CompanyLink extends Omit<BankLink, 'key'> {
  environment: EnvironmentKind;
  /** The role of the other company. */
  role: 'bank' | 'company';
  company: string;
}

/** A contribution that a bank completed although no link that is not voided let it. */
export interface MistakenCompletion {
  transactionId: string;
  /** US dollars with two decimals. */
  amount: string;
  completedAt: Date;
  bankReference: string | null;
}

/** The live key pairs of an environment. */
export interface LivePairs {
  all: number;
  /** Those with the scope to complete contributions. */
  completing: number;
}

/** What an operator needs to know before a link changes, and afterwards. Reads only. */
export type BankLinksLookupStore = ReturnType<typeof createBankLinksLookupStore>;

// $1 company_id. An environment that a reset retired shows up as the other side only.
const listLinksOfCompany = query(
  'list_links_of_company',
  `SELECT o.kind AS environment, side.role, c.name AS company, l.linked_at AS "linkedAt",
          l.unlinked_at AS "unlinkedAt", l.voided_at AS "voidedAt"
     FROM environments o
    CROSS JOIN (VALUES ('bank'), ('company')) AS side (role)
     JOIN bank_links l
       ON o.environment_id = CASE WHEN side.role = 'bank' THEN l.environment_id ELSE l.bank_environment_id END
     JOIN environments e
       ON e.environment_id = CASE WHEN side.role = 'bank' THEN l.bank_environment_id ELSE l.environment_id END
     JOIN companies c ON c.company_id = e.company_id
    WHERE o.company_id = $1 AND o.retired_at IS NULL
    ORDER BY o.kind, side.role, l.linked_at, c.name`,
);

const findAnyContribution = query(
  'find_any_contribution',
  `SELECT t.transaction_id FROM transactions t WHERE t.environment_id = $1 LIMIT 1`,
);

const countLivePairs = query(
  'count_live_pairs',
  `SELECT count(*)::integer AS all,
          count(*) FILTER (WHERE 'contributions:complete' = ANY (k.scopes))::integer AS completing
     FROM key_pairs k
    WHERE k.environment_id = $1 AND key_pair_is_live(k.revoked_at, k.expires_at)`,
);

const namesOf = (name: string, other: string, own: string) =>
  query(
    name,
    `SELECT c.name
       FROM bank_links l
       JOIN environments e ON e.environment_id = l.${other}
       JOIN companies c ON c.company_id = e.company_id
      WHERE l.${own} = $1 AND l.unlinked_at IS NULL
      ORDER BY c.name`,
  );
const listBanks = namesOf('list_banks_of_environment', 'bank_environment_id', 'environment_id');
const listCompanies = namesOf('list_companies_of_bank', 'environment_id', 'bank_environment_id');

const countPending = query(
  'count_pending_contributions',
  `SELECT count(*)::integer AS count FROM transactions t WHERE t.environment_id = $1 AND t.status = 'pending'`,
);

// $1 environment_id, $2 bank_environment_id, $3 start of the link, $4 whether it is voided
const countKept = query(
  'count_kept_contributions',
  `SELECT count(*)::integer AS count
     FROM transactions t
    WHERE t.environment_id = $1 AND t.status = 'pending' AND EXISTS (
      SELECT FROM bank_links l
       WHERE l.environment_id = $1 AND l.bank_environment_id = $2 AND l.voided_at IS NULL
         AND (l.linked_at <> $3::timestamptz OR NOT $4)
         AND bank_sees(t.created_at, t.completed_at, l.linked_at,
                       CASE WHEN l.linked_at = $3::timestamptz AND l.unlinked_at IS NULL THEN statement_timestamp()
                            ELSE l.unlinked_at END))`,
);

// The same condition as in the check completed-by-right of verify, without its margin.
// $1 environment_id, $2 bank_environment_id, $3 start of a link that does not count
const listMistakenCompletions = query(
  'list_mistaken_completions',
  `SELECT t.transaction_id AS "transactionId", (t.amount_cents / 100.0)::numeric(20, 2)::text AS amount,
          t.completed_at AS "completedAt", t.bank_reference AS "bankReference"
     FROM transactions t
    WHERE t.environment_id = $1 AND t.completed_by_environment_id = $2 AND t.corrected_at IS NULL AND t.returned_cents = 0
      AND NOT EXISTS (
      SELECT FROM bank_links l
       WHERE l.environment_id = $1 AND l.bank_environment_id = $2 AND l.voided_at IS NULL
         AND l.linked_at <> $3::timestamptz AND l.linked_at <= t.completed_at
         AND (l.unlinked_at IS NULL OR l.unlinked_at > t.completed_at
              OR (t.created_at >= l.linked_at AND t.created_at < l.unlinked_at)))
    ORDER BY t.completed_at, t.transaction_id`,
);

const waitForWriters = query('wait_for_writers', 'SELECT wait_for_contribution_writers() AS waited');

export function createBankLinksLookupStore(database: Pick<Database, 'run'>) {
  const names = async (query: typeof listBanks, id: number): Promise<string[]> =>
    (await database.run<{ name: string }>(query, [id])).map(({ name }) => name);
  const count = async (query: typeof countPending, values: unknown[]): Promise<number> => {
    const [row] = await database.run<{ count: number }>(query, values);
    return row?.count ?? 0;
  };
  return {
    /** Every link of a company's environments that are not retired, oldest first. */
    ofCompany: (companyId: string): Promise<CompanyLink[]> => database.run(listLinksOfCompany, [companyId]),
    hasContributions: async (id: number) => (await database.run(findAnyContribution, [id])).length > 0,
    async livePairs(id: number) {
      const [row] = await database.run<LivePairs>(countLivePairs, [id]);
      return row ?? { all: 0, completing: 0 };
    },
    /** The names of the banks that are linked to an environment now. */
    banksOf: (id: number) => names(listBanks, id),
    /** The names of the companies whose bank an environment is now. */
    companiesOf: (id: number) => names(listCompanies, id),
    countPending: (id: number) => count(countPending, [id]),
    /**
     * Pending contributions that a bank may still complete by its other links.
     *
     * @param without the key of the link that ends or is voided
     * @param isVoided otherwise, the link still shows what was created during it
     */
    countKept: (id: number, bankId: number, without: string, isVoided: boolean) =>
      count(countKept, [id, bankId, without, isVoided]),
    /** @param without the key of a link that counts as voided */
    mistakenCompletions: (id: number, bankId: number, without: string): Promise<MistakenCompletion[]> =>
      database.run(listMistakenCompletions, [id, bankId, without]),
    /** Waits for the queries that are changing contributions. */
    async waitForWriters() {
      await database.run(waitForWriters, []);
    },
  };
}
