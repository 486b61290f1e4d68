import { lockCompanies } from '../../db/operator-locks';
import type { Statements } from '../../db/operator-transaction';
import type { EnvironmentKind } from '../../shared/scopes';
import { simulatedBank } from '../../shared/simulated-bank';

export interface ListedCompany {
  companyId: string;
  name: string;
  createdAt: Date;
  suspendedAt: Date | null;
  environments: ListedEnvironment[];
}

export interface ListedEnvironment {
  environment_id: number;
  kind: EnvironmentKind;
  transaction_tag: string;
  live_key_pairs: number;
  /** Names of the banks that complete its contributions. */
  banks: string[];
  requests_per_second: number | null;
  completions_per_second: number | null;
  /** The number of earlier environments that resets have retired. */
  resets: number;
}

export interface CompaniesOverviewStore {
  /** All companies sorted by name, or the one with this name. */
  list(name?: string): Promise<ListedCompany[]>;
  /** @returns whether this call changed it; undefined if there is no such company */
  setSuspended(name: string, isSuspended: boolean): Promise<boolean | undefined>;
}

const selectCompanies = `
  SELECT c.company_id AS "companyId", c.name, c.created_at AS "createdAt", c.suspended_at AS "suspendedAt",
         (SELECT jsonb_agg(jsonb_build_object(
                   'environment_id', e.environment_id, 'kind', e.kind, 'transaction_tag', e.transaction_tag,
                   'live_key_pairs', (
                     SELECT count(*) FROM key_pairs k
                      WHERE k.environment_id = e.environment_id AND k.revoked_at IS NULL
                        AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())),
                   'banks', COALESCE((
                     SELECT jsonb_agg(bank.name ORDER BY bank.name)
                       FROM bank_links l
                       JOIN environments b ON b.environment_id = l.bank_environment_id
                       JOIN companies bank ON bank.company_id = b.company_id
                      WHERE l.environment_id = e.environment_id AND l.unlinked_at IS NULL), '[]'),
                   'requests_per_second', e.requests_per_second,
                   'completions_per_second', e.completions_per_second,
                   'resets', (
                     SELECT count(*) FROM environments r
                      WHERE r.company_id = e.company_id AND r.kind = e.kind AND r.retired_at IS NOT NULL)) ORDER BY e.kind)
            FROM environments e WHERE e.company_id = c.company_id AND e.retired_at IS NULL) AS environments
    FROM companies c
   WHERE ($1::text IS NULL OR c.name = $1) AND c.company_id <> '${simulatedBank.companyId}'
   ORDER BY c.name`;

// One statement for each direction, because Citus rejects the current time within CASE in an
// UPDATE.
const suspend = `
  UPDATE companies SET suspended_at = statement_timestamp() WHERE name = $1 AND suspended_at IS NULL
  RETURNING company_id`;
const resume = `
  UPDATE companies SET suspended_at = NULL WHERE name = $1 AND suspended_at IS NOT NULL
  RETURNING company_id`;

export function createCompaniesOverviewStore(database: Statements): CompaniesOverviewStore {
  return {
    list: (name) => database.runUnprepared<ListedCompany>(selectCompanies, [name ?? null]),
    async setSuspended(name, isSuspended) {
      await database.run(lockCompanies, []);
      const changed = await database.runUnprepared(isSuspended ? suspend : resume, [name]);
      if (changed.length > 0) return true;
      const found = await database.runUnprepared('SELECT FROM companies WHERE name = $1', [name]);
      return found.length > 0 ? false : undefined;
    },
  };
}
