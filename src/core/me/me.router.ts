import type { Routes } from '../../http/routes';
import type { Principal, RateLimits } from '../../shared/scopes';
import type { RatePolicy } from '../../shared/traffic-classes';
import { presentLink } from '../links/link.field';
import type { LinksStore } from '../links/links.store';
import type { CallerReadModel } from './caller.read-model';
import { type meContract, shownLinks } from './me.contract';

export interface MeDependencies {
  contract: ReturnType<typeof meContract>;
  callers: CallerReadModel;
  links: Pick<LinksStore, 'list'>;
  rateOf: (limits: RateLimits, policy: RatePolicy) => { perSecond: number; burst: number };
  version: string;
}

/** Adds the operation of this module to the API. */
export function meRoutes(
  routes: Routes,
  { contract, callers, links, rateOf, version }: MeDependencies,
): void {
  const presentRate = (limits: RateLimits, policy: RatePolicy) => {
    const { perSecond, burst } = rateOf(limits, policy);
    return { per_second: perSecond, burst };
  };
  /** The bank's or companies' names are not for a pair that may not list links. */
  const linksOf = async ({ environmentId, scopes }: Principal) => {
    if (!scopes.includes('contributions:read')) return null;
    const page = await links.list(environmentId, { limit: shownLinks, after: undefined });
    return { data: page.data.map(presentLink), has_more: page.has_more };
  };

  routes.bind(contract.get).to(async ({ principal }) => {
    const caller = await callers.find(principal);
    const { apiKey, environmentKind, transactionTag, scopes, rateLimits } = principal;
    return {
      status: 200,
      body: {
        company: {
          company_id: caller.companyId,
          company_name: caller.companyName,
          status: caller.isSuspended ? 'suspended' : 'active',
        },
        environment: environmentKind,
        transaction_id_prefix: transactionTag,
        key_pair: {
          api_key: apiKey,
          scopes: [...scopes],
          created_at: caller.createdAt.toISOString(),
          expires_at: caller.expiresAt?.toISOString() ?? null,
        },
        links: await linksOf(principal),
        rate_limits: {
          requests: presentRate(rateLimits, 'requests'),
          completions: presentRate(rateLimits, 'completions'),
          batches: presentRate(rateLimits, 'batches'),
        },
        service_version: version,
      },
    };
  });
}
