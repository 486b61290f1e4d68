import { lockCompanies } from '../../db/operator-locks';
import type { Queries } from '../../db/operator-transaction';
import type { EnvironmentKind } from '../../shared/scopes';
import { keyPairChannel } from '../../shared/key-pair-channel';
import { simulatedBank } from '../../shared/simulated-bank';
import { isCompany } from './company.query';

export interface ListedCompany {
  companyId: string;
  name: string;
  createdAt: Date;
  suspendedAt: Date | null;
  frozenAt: Date | null;
  frozenReason: string | null;
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

const selectCompanies = `
  SELECT c.company_id AS "companyId", c.name, c.created_at AS "createdAt", c.suspended_at AS "suspendedAt",
         c.frozen_at AS "frozenAt", c.frozen_reason AS "frozenReason",
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
   WHERE ($1::text IS NULL OR ${isCompany('c', '$1')}) AND c.company_id <> '${simulatedBank.companyId}'
   ORDER BY c.name`;

// One query for each direction, because a cluster rejects the current time within CASE in an
// UPDATE.
const suspend = `
  UPDATE companies SET suspended_at = statement_timestamp() WHERE company_id = $1 AND suspended_at IS NULL
  RETURNING company_id`;
const resume = `
  UPDATE companies SET suspended_at = NULL WHERE company_id = $1 AND suspended_at IS NOT NULL
  RETURNING company_id`;

// Every process reads the key pairs of the company again.
const notified = `
  SELECT (SELECT count(pg_notify('${keyPairChannel}', k.api_key))
            FROM key_pairs k JOIN environments e USING (environment_id) JOIN changed USING (company_id)
           WHERE k.revoked_at IS NULL) AS pairs
    FROM changed`;
const freeze = `
  WITH changed AS (
    UPDATE companies SET frozen_at = statement_timestamp(), frozen_reason = $2
     WHERE company_id = $1 AND frozen_at IS NULL
    RETURNING company_id
  ) ${notified}`;
const unfreeze = `
  WITH changed AS (
    UPDATE companies SET frozen_at = NULL, frozen_reason = NULL
     WHERE company_id = $1 AND frozen_at IS NOT NULL
    RETURNING company_id
  ) ${notified}`;

const environmentsOf = `
  SELECT c.company_id, array_agg(e.environment_id) AS environments
    FROM companies c JOIN environments e USING (company_id)
   WHERE ${isCompany('c', '$1')} AND e.retired_at IS NULL
   GROUP BY c.company_id`;
// The time of a freeze disables no endpoint.
const restartFailures = `
  UPDATE webhook_endpoints w SET failing_since = statement_timestamp()
   WHERE w.environment_id = ANY ($1::integer[]) AND w.failing_since IS NOT NULL`;

export function createCompaniesOverviewStore(database: Queries) {
  /** @param afterwards is called after a change */
  async function change(
    query: string,
    name: string,
    values: string[] = [],
    afterwards?: (environments: number[]) => Promise<unknown>,
  ): Promise<boolean | undefined> {
    await database.run(lockCompanies, []);
    const [found] = await database.runUnprepared<{ company_id: string; environments: number[] }>(
      environmentsOf,
      [name],
    );
    if (!found) return undefined;
    const changed = await database.runUnprepared(query, [found.company_id, ...values]);
    if (changed.length > 0) await afterwards?.(found.environments);
    return changed.length > 0;
  }

  return {
    /** All companies sorted by name, or the one with this name or company_id. */
    list: (name?: string) => database.runUnprepared<ListedCompany>(selectCompanies, [name ?? null]),
    /** @returns whether this call changed it; undefined if there is no such company */
    setSuspended: (name: string, isSuspended: boolean) => change(isSuspended ? suspend : resume, name),
    /**
     * Stops the key pairs of a company and its webhooks.
     *
     * @returns as `setSuspended` does; the reason of an earlier freeze stays
     */
    freeze: (name: string, reason: string) => change(freeze, name, [reason]),
    /** Ends a freeze. @returns as `setSuspended` does */
    unfreeze: (name: string) =>
      change(unfreeze, name, [], (environments) => database.runUnprepared(restartFailures, [environments])),
  };
}
