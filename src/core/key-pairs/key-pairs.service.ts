import { OperatorError } from '../../shared/operator-error';
import type { EnvironmentKind, Scope, Scopes } from '../../shared/scopes';
import type { CompaniesService } from '../companies/companies.service';
import { currentPepperVersion, drawKeyPair, hashSecret, type KeyPair, type Peppers } from './credentials';
import type { KeyPairLifecycleStore, SuccessorExpiry } from './key-pair-lifecycle.store';
import type { KeyPairFilter, ListedKeyPair, ListedKeyPairsStore } from './listed-key-pairs.store';
import { type PepperReport, reportPeppers } from './pepper-report';
import { advise, type RevocationAdvice } from './revocation-advice';

export interface Rotation extends KeyPair {
  old: ListedKeyPair;
  /** When the old pair stops working. */
  oldExpiresAt: Date;
  expiresAt: Date | null;
}

/** The operator's commands for key pairs. */
export interface KeyPairsService {
  /**
   * Issues a key pair. Only the result contains its secret.
   *
   * @throws OperatorError if the company is unknown or has two live pairs with these scopes, or if
   *   a scope is not for this kind of environment
   */
  issue(order: {
    company: string;
    kind: EnvironmentKind;
    scopes: readonly Scope[];
    expiresAt: Date | undefined;
  }): Promise<KeyPair>;
  /** @throws OperatorError if there is no such live pair */
  revoke(apiKey: string): Promise<void>;
  /**
   * Revokes all live pairs of a company, or those of one kind of environment.
   *
   * @returns their API-Keys
   * @throws OperatorError if the company is unknown
   */
  revokeAll(company: string, kind: EnvironmentKind | undefined): Promise<string[]>;
  list(filter: KeyPairFilter): Promise<ListedKeyPair[]>;
  /** @throws OperatorError if there is no such live pair */
  findLive(apiKey: string): Promise<ListedKeyPair>;
  /**
   * Issues a pair with the scopes of an old one. The old pair keeps working for the overlap. Only
   * the result contains the new secret.
   *
   * @param overlapMinutes at most seven days
   * @throws OperatorError if there is no such live pair, or already two with these scopes
   */
  rotate(apiKey: string, overlapMinutes: number, expiry: SuccessorExpiry): Promise<Rotation>;
  /**
   * For each live pair, whether it can be revoked safely.
   *
   * @param unusedHours a pair that was used within this time is in use
   */
  adviseRevocations(filter: KeyPairFilter, unusedHours: number): Promise<RevocationAdvice[]>;
  /**
   * Which peppers the live pairs need, and which pairs to rotate before an old pepper is removed.
   */
  reportPeppers(): Promise<PepperReport>;
}

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

export function createKeyPairsService(dependencies: KeyPairsServiceDependencies): KeyPairsService {
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
    async issue({ company: name, kind, scopes, expiresAt }) {
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

    async revoke(apiKey) {
      if (!(await lifecycle.revoke(apiKey))) await rejectEnded(apiKey);
    },

    async revokeAll(company, kind) {
      const { environments } = await companies.find(company);
      return lifecycle.revokeAll(kind ? [environments[kind]] : Object.values(environments));
    },

    list: (filter) => listed.list(filter),
    findLive,

    async rotate(apiKey, overlapMinutes, expiry) {
      const old = await findLive(apiKey);
      const { pair, stored } = draw(kindOf(apiKey));
      const times = await lifecycle.replace(apiKey, stored, expiry, overlapMinutes);
      if (times) return { ...pair, old, ...times };
      throw new OperatorError(
        `The ${old.kind} environment of "${old.company}" has two live key pairs with these scopes. Run keys safe-to-revoke, and revoke the unused pair first.`,
      );
    },

    async adviseRevocations(filter, unusedHours) {
      const now = new Date();
      return (await listed.list(filter)).map((pair) => advise(pair, unusedHours, now));
    },

    reportPeppers: async () => reportPeppers(await listed.list({}), peppers),
  };
}
