import { OperatorError } from '../../shared/operator-error';
import type { EnvironmentKind } from '../../shared/scopes';
import { currentPepperVersion, drawKeyPair, hashSecret, type KeyPair, type Peppers } from './credentials';
import type { KeyPairFilter, KeyRotationStore, ListedKeyPair } from './key-rotation.store';
import { type PepperReport, reportPeppers } from './pepper-report';

export interface Rotation extends KeyPair {
  old: ListedKeyPair;
  /** When the old pair stops working. */
  oldExpiresAt: Date;
  expiresAt: Date | null;
}

/** Whether a live pair can be revoked without anybody noticing. */
export interface RevocationAdvice {
  pair: ListedKeyPair;
  verdict: 'safe' | 'ask' | 'in use';
  reason: string;
}

export interface KeyRotationService {
  list(filter: KeyPairFilter): Promise<ListedKeyPair[]>;
  /** @throws OperatorError when there is no such live pair */
  findLive(apiKey: string): Promise<ListedKeyPair>;
  /**
   * Issues a pair with the scopes of another one, which goes on working for the overlap. The secret is in the answer and
   * nowhere else.
   *
   * @param overlapMinutes at most seven days
   * @throws OperatorError when there is no such live pair, or two with these scopes already
   */
  rotate(apiKey: string, overlapMinutes: number, expiresAt: Date | undefined): Promise<Rotation>;
  /** Of every live pair whether it may be revoked. One that was used within the last hours is in use. */
  adviseRevocations(filter: KeyPairFilter, unusedHours: number): Promise<RevocationAdvice[]>;
  /** Which peppers the live pairs need, and what is to be rotated before an old one may go. */
  reportPeppers(): Promise<PepperReport>;
}

/** The environment that the form of a key names. */
const kindOf = (apiKey: string): EnvironmentKind =>
  apiKey.startsWith('cpk_production_') ? 'production' : 'test';

export function advise(pair: ListedKeyPair, unusedHours: number, now: Date): RevocationAdvice {
  const since = now.getTime() - unusedHours * 3_600_000;
  const { lastUsedAt, successor, createdAt } = pair;
  if (lastUsedAt !== null && lastUsedAt.getTime() > since) {
    return { pair, verdict: 'in use', reason: `used within the last ${unusedHours} h` };
  }
  if (successor?.lastUsedAt && successor.lastUsedAt.getTime() > since) {
    return { pair, verdict: 'safe', reason: `${successor.apiKey} is used in its place` };
  }
  if (lastUsedAt !== null) {
    return { pair, verdict: 'ask', reason: 'not used any more, and no newer pair in its place is in use' };
  }
  return createdAt.getTime() > since
    ? { pair, verdict: 'ask', reason: 'new and not used so far' }
    : { pair, verdict: 'ask', reason: 'never used, and no newer pair in its place is in use' };
}

export function createKeyRotationService(store: KeyRotationStore, peppers: Peppers): KeyRotationService {
  async function findLive(apiKey: string): Promise<ListedKeyPair> {
    const [pair] = await store.list({ apiKey });
    if (!pair) throw new OperatorError('There is no live key pair with this API-Key.');
    return pair;
  }

  return {
    list: (filter) => store.list(filter),
    findLive,

    async rotate(apiKey, overlapMinutes, expiresAt) {
      const old = await findLive(apiKey);
      const pair = drawKeyPair(kindOf(apiKey));
      const pepperVersion = currentPepperVersion(peppers);
      const oldExpiresAt = await store.replace(
        apiKey,
        {
          apiKey: pair.apiKey,
          secretHmac: hashSecret(pair.apiSecret, peppers, pepperVersion),
          pepperVersion,
          expiresAt,
        },
        overlapMinutes,
      );
      if (oldExpiresAt) return { ...pair, old, oldExpiresAt, expiresAt: expiresAt ?? null };
      throw new OperatorError(
        `The ${old.kind} environment of "${old.company}" has two live key pairs with these scopes. Revoke the one that is not in use first: keys safe-to-revoke tells which.`,
      );
    },

    async adviseRevocations(filter, unusedHours) {
      const now = new Date();
      return (await store.list(filter)).map((pair) => advise(pair, unusedHours, now));
    },

    reportPeppers: async () => reportPeppers(await store.list({}), peppers),
  };
}
