import { currentPepperVersion, type Peppers } from './credentials';
import type { ListedKeyPair } from './listed-key-pairs.store';

export interface PepperUse {
  version: number;
  /** Whether this command's CREDENTIAL_PEPPERS contains it. */
  isConfigured: boolean;
  /** Whether new pairs use it. */
  isCurrent: boolean;
  livePairs: number;
  advice: string;
}

export interface PepperReport {
  versions: PepperUse[];
  /** Live pairs that use another pepper than the current one. */
  toRotate: ListedKeyPair[];
  /** Whether the pepper of a live pair is missing, so that the pair cannot be verified. */
  isPepperMissing: boolean;
}

function adviceFor({ isConfigured, isCurrent, livePairs }: Omit<PepperUse, 'advice'>): string {
  if (!isConfigured) return 'missing: these pairs get 503 until CREDENTIAL_PEPPERS contains it again';
  if (isCurrent) return 'keep: new pairs use it';
  return livePairs === 0
    ? 'can be removed'
    : 'keep until the pairs below are rotated and the old pairs have ended';
}

/** Lists the peppers that live pairs need, oldest first. */
export function reportPeppers(livePairs: readonly ListedKeyPair[], peppers: Peppers): PepperReport {
  const current = currentPepperVersion(peppers);
  const versions = [...new Set([...peppers.keys(), ...livePairs.map((pair) => pair.pepperVersion)])];
  const uses = versions
    .sort((one, other) => one - other)
    .map((version) => {
      const use = {
        version,
        isConfigured: peppers.has(version),
        isCurrent: version === current,
        livePairs: livePairs.filter((pair) => pair.pepperVersion === version).length,
      };
      return { ...use, advice: adviceFor(use) };
    });
  return {
    versions: uses,
    toRotate: livePairs.filter((pair) => pair.pepperVersion !== current),
    isPepperMissing: uses.some((use) => !use.isConfigured),
  };
}
