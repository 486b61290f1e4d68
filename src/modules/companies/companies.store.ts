import { v7 as uuidv7 } from 'uuid';

import type { Database } from '../../db/database';
import { ConstraintViolation } from '../../db/errors';
import { statement } from '../../db/statement';
import { type EnvironmentKind, environmentKinds, type RateLimits, type Scope } from '../../shared/scopes';
import { drawTransactionTag } from '../../shared/transaction-id';
import { keyPairChannel } from './key-pair-channel';

export { keyPairChannel };

export interface Company {
  companyId: string;
  name: string;
  environments: Record<EnvironmentKind, number>;
}

export interface NewKeyPair {
  apiKey: string;
  environmentId: number;
  secretHmac: Buffer;
  pepperVersion: number;
  /** In canonical order. */
  scopes: readonly Scope[];
  expiresAt: Date | undefined;
}

/** What an operator does to companies. Every name is unique, so a name is enough to say which one. */
export interface CompaniesStore {
  /** Creates a company with its two environments; undefined when the name is taken. */
  create(name: string): Promise<Company | undefined>;
  findByName(name: string): Promise<Company | undefined>;
  /** Takes one of the two slots of the scope set; false when both are live. A pair with the same key stays as it is. */
  addKeyPair(keyPair: NewKeyPair): Promise<boolean>;
  /** Revokes a pair at once, in every process; false when there is no such live pair. */
  revokeKeyPair(apiKey: string): Promise<boolean>;
  /** Changes what is given of an environment's rate limits, in every process; null is the service's own setting again. */
  setRateLimits(kind: EnvironmentKind, company: Company, limits: Partial<RateLimits>): Promise<RateLimits>;
  /** Lets a bank complete a company's transactions of that kind; false when it is linked already. */
  linkBank(kind: EnvironmentKind, company: Company, bank: Company): Promise<boolean>;
  /** Ends a link; false when there is none. */
  unlinkBank(kind: EnvironmentKind, company: Company, bank: Company): Promise<boolean>;
}

const createCompany = statement(
  'create_company',
  `WITH company AS (
     INSERT INTO companies (company_id, name) VALUES ($1, $2)
     ON CONFLICT ON CONSTRAINT companies_name_key DO NOTHING
     RETURNING company_id
   )
   INSERT INTO environments (company_id, kind, transaction_tag)
   SELECT company.company_id, environment.kind, environment.tag
     FROM company CROSS JOIN unnest($3::text[], $4::text[]) AS environment (kind, tag)
   RETURNING company_id, kind, environment_id`,
);

const findCompany = statement(
  'find_company',
  `SELECT e.company_id, e.kind, e.environment_id
     FROM companies c JOIN environments e USING (company_id) WHERE c.name = $1`,
);

// Expired pairs give their slot back; the partial unique index decides between two of these at once.
const addKeyPair = statement(
  'add_key_pair',
  `WITH expired AS (
     UPDATE key_pairs SET revoked_at = expires_at
      WHERE environment_id = $2 AND scopes = $5 AND revoked_at IS NULL AND expires_at <= clock_timestamp()
     RETURNING slot
   )
   INSERT INTO key_pairs (api_key, environment_id, secret_hmac, pepper_version, scopes, expires_at, slot)
   SELECT $1, $2, $3, $4, $5, $6, free.slot
     FROM (VALUES (1), (2)) AS free (slot)
    -- Naming the first part makes it run before the insert.
    WHERE (SELECT count(*) FROM expired) >= 0 AND NOT EXISTS (
      SELECT FROM key_pairs k
       WHERE k.environment_id = $2 AND k.scopes = $5 AND k.slot = free.slot AND k.revoked_at IS NULL
         AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp()))
    ORDER BY free.slot
    LIMIT 1
   RETURNING api_key`,
);

const revokeKeyPair = statement(
  'revoke_key_pair',
  `WITH revoked AS (
     UPDATE key_pairs SET revoked_at = clock_timestamp()
      WHERE api_key = $1 AND revoked_at IS NULL
     RETURNING api_key
   )
   SELECT pg_notify('${keyPairChannel}', api_key) FROM revoked`,
);

const setRateLimits = statement(
  'set_rate_limits',
  `WITH changed AS (
     UPDATE environments
        SET requests_per_second = CASE WHEN $2 THEN $3::integer ELSE requests_per_second END,
            completions_per_second = CASE WHEN $4 THEN $5::integer ELSE completions_per_second END
      WHERE environment_id = $1
     RETURNING environment_id, requests_per_second, completions_per_second
   ),
   told AS (
     SELECT count(pg_notify('${keyPairChannel}', k.api_key)) FROM key_pairs k JOIN changed USING (environment_id)
      WHERE k.revoked_at IS NULL
   )
   SELECT requests_per_second, completions_per_second FROM changed, told`,
);

const linkBank = statement(
  'link_bank',
  `INSERT INTO bank_links (environment_id, bank_environment_id, kind) VALUES ($1, $2, $3)
   ON CONFLICT (environment_id, bank_environment_id) WHERE unlinked_at IS NULL DO NOTHING
   RETURNING bank_environment_id`,
);

const unlinkBank = statement(
  'unlink_bank',
  `UPDATE bank_links SET unlinked_at = GREATEST(clock_timestamp(), linked_at)
    WHERE environment_id = $1 AND bank_environment_id = $2 AND unlinked_at IS NULL
   RETURNING unlinked_at`,
);

interface EnvironmentRow {
  company_id: string;
  kind: EnvironmentKind;
  environment_id: number;
}

function toCompany(name: string, rows: readonly EnvironmentRow[]): Company | undefined {
  const of = (kind: EnvironmentKind) => rows.find((row) => row.kind === kind);
  const production = of('production');
  const test = of('test');
  if (!production || !test) return undefined;
  const environments = { production: production.environment_id, test: test.environment_id };
  return { companyId: production.company_id, name, environments };
}

export function createCompaniesStore(database: Pick<Database, 'run'>): CompaniesStore {
  return {
    async create(name) {
      for (;;) {
        const tags = environmentKinds.map(() => drawTransactionTag());
        try {
          const values = [uuidv7(), name, environmentKinds, tags];
          return toCompany(name, await database.run<EnvironmentRow>(createCompany, values));
        } catch (error) {
          // The tag is taken (there are 720,896): nothing happened, draw again.
          const collided =
            error instanceof ConstraintViolation && error.constraint === 'environments_transaction_tag_key';
          if (!collided) throw error;
        }
      }
    },

    findByName: async (name) => toCompany(name, await database.run<EnvironmentRow>(findCompany, [name])),

    async addKeyPair({ apiKey, environmentId, secretHmac, pepperVersion, scopes, expiresAt }) {
      const values = [apiKey, environmentId, secretHmac, pepperVersion, scopes, expiresAt ?? null];
      // Somebody else took the slot at the same moment: the second time the other slot is found, or none.
      for (let attempt = 1; attempt <= 3; attempt += 1) {
        try {
          return (await database.run(addKeyPair, values)).length > 0;
        } catch (error) {
          const isTaken =
            error instanceof ConstraintViolation && error.constraint === 'key_pairs_two_live_per_scope_set';
          if (!isTaken) throw error;
        }
      }
      return false;
    },

    revokeKeyPair: async (apiKey) => (await database.run(revokeKeyPair, [apiKey])).length > 0,

    async setRateLimits(kind, company, { requestsPerSecond, completionsPerSecond }) {
      const [row] = await database.run<{
        requests_per_second: number | null;
        completions_per_second: number | null;
      }>(setRateLimits, [
        company.environments[kind],
        requestsPerSecond !== undefined,
        requestsPerSecond ?? null,
        completionsPerSecond !== undefined,
        completionsPerSecond ?? null,
      ]);
      return {
        requestsPerSecond: row?.requests_per_second ?? null,
        completionsPerSecond: row?.completions_per_second ?? null,
      };
    },

    async linkBank(kind, company, bank) {
      const values = [company.environments[kind], bank.environments[kind], kind];
      return (await database.run(linkBank, values)).length > 0;
    },

    async unlinkBank(kind, company, bank) {
      const values = [company.environments[kind], bank.environments[kind]];
      return (await database.run(unlinkBank, values)).length > 0;
    },
  };
}
