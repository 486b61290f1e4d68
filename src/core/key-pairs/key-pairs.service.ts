import { OperatorError } from '../../shared/operator-error';
import type { EnvironmentKind, Scope, Scopes } from '../../shared/scopes';
import type { CompaniesService } from '../companies/companies.service';
import { currentPepperVersion, drawKeyPair, hashSecret, type KeyPair, type Peppers } from './credentials';
import type { KeyPairLifecycleStore, SuccessorExpiry } from './key-pair-lifecycle.store';
import type { KeyPairFilter, ListedKeyPair, ListedKeyPairsStore } from './listed-key-pairs.store';
import { reportPeppers } from './pepper-report';
import { advise } from './revocation-advice';

export interface Rotation extends KeyPair {
  old: ListedKeyPair;
  /** When the old pair stops working. */
  oldExpiresAt: Date;
  expiresAt: Date | null;
}

export interface KeyPairOrder {
  company: string;
  kind: EnvironmentKind;
  scopes: readonly Scope[];
  expiresAt: Date | undefined;
}

/** The operator's commands for key pairs. */
export type KeyPairsService = ReturnType<typeof createKeyPairsService>;

/** The environment in the prefix of a key. */
const kindOf = (apiKey: string): EnvironmentKind =>
  apiKey.startsWith('cpk_production_') ? 'production' : 'test';

export interface KeyPairsServiceDependencies {
  companies: Pick<CompaniesService, 'find'>;
  lifecycle: KeyPairLifecycleStore;
  listed: ListedKeyPairsStore;
  peppers: Peppers;
  /** All that a pair can have. */
  scopes: Pick<Scopes, 'all' | 'ofKind'>;
}

export function createKeyPairsService(dependencies: KeyPairsServiceDependencies) {
  const { companies, lifecycle, listed, peppers, scopes: allScopes } = dependencies;

  function draw(kind: EnvironmentKind) {
    const pair = drawKeyPair(kind);
    const pepperVersion = currentPepperVersion(peppers);
    const secretHmac = hashSecret(pair.apiSecret, peppers, pepperVersion);
    return { pair, stored: { apiKey: pair.apiKey, secretHmac, pepperVersion } };
  }

  /** Says whether the pair is dead already: during a leak, somebody must know. */
  async function rejectEnded(apiKey: string): Promise<never> {
    const [pair] = await listed.list({ apiKey, includeEnded: true });
    const end = pair?.revokedAt ?? pair?.expiresAt;
    throw new OperatorError(
      pair && end
        ? `This key pair ${pair.revokedAt ? 'was revoked' : 'expired'} at ${end.toISOString()}, and never works again.`
        : 'There is no key pair with this API-Key. Run keys list to see all pairs.',
    );
  }

  const findLive = async (apiKey: string): Promise<ListedKeyPair> =>
    (await listed.list({ apiKey }))[0] ?? rejectEnded(apiKey);

  return {
    /**
     * Issues a key pair. Only the result contains its secret.
     *
     * @throws OperatorError if the company is unknown or has two live pairs with these scopes, or
     *   if a scope is not for this kind of environment
     */
    async issue({ company: name, kind, scopes, expiresAt }: KeyPairOrder) {
      const refused = scopes.filter((scope) => !allScopes.ofKind(kind).includes(scope));
      if (refused.length > 0)
        throw new OperatorError(`Pairs for ${kind} cannot have the scope ${refused.join(', ')}.`);
      const { environments } = await companies.find(name);
      const { pair, stored } = draw(kind);
      const isAdded = await lifecycle.add({
        ...stored,
        environmentId: environments[kind],
        scopes: allScopes.all.filter((scope) => scopes.includes(scope)),
        expiresAt,
      });
      if (isAdded) return pair;
      throw new OperatorError(
        `The ${kind} environment of "${name}" has two live key pairs with these scopes. Revoke one first.`,
      );
    },

    /** @throws OperatorError if there is no such live pair */
    async revoke(apiKey: string) {
      if (!(await lifecycle.revoke(apiKey))) await rejectEnded(apiKey);
    },

    /**
     * Revokes all live pairs of a company, or those of one kind of environment.
     *
     * @returns their API-Keys
     * @throws OperatorError if the company is unknown
     */
    async revokeAll(company: string, kind: EnvironmentKind | undefined) {
      const { environments } = await companies.find(company);
      return lifecycle.revokeAll(kind ? [environments[kind]] : Object.values(environments));
    },

    list: (filter: KeyPairFilter) => listed.list(filter),
    /** @throws OperatorError if there is no such live pair */
    findLive,

    /**
     * Issues a pair with the scopes of an old one. The old pair keeps working for the overlap. Only
     * the result contains the new secret.
     *
     * @param overlapMinutes at most seven days
     * @throws OperatorError if there is no such live pair, or already two with these scopes
     */
    async rotate(apiKey: string, overlapMinutes: number, expiry: SuccessorExpiry): Promise<Rotation> {
      const old = await findLive(apiKey);
      const { pair, stored } = draw(kindOf(apiKey));
      const times = await lifecycle.replace(apiKey, stored, expiry, overlapMinutes);
      if (times) return { ...pair, old, ...times };
      throw new OperatorError(
        `The ${old.kind} environment of "${old.company}" has two live key pairs with these scopes. Run keys safe-to-revoke, and revoke the unused pair first.`,
      );
    },

    /**
     * For each live pair, whether it can be revoked safely.
     *
     * @param unusedHours a pair that was used within this time is in use
     */
    async adviseRevocations(filter: KeyPairFilter, unusedHours: number) {
      const now = new Date();
      return (await listed.list(filter)).map((pair) => advise(pair, unusedHours, now));
    },

    /**
     * Which peppers the live pairs need, and which pairs to rotate before an old pepper is removed.
     */
    reportPeppers: async () => reportPeppers(await listed.list({}), peppers),
  };
}
