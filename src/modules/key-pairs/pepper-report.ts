import { currentPepperVersion, type Peppers } from './credentials';
import type { ListedKeyPair } from './listed-key-pairs.store';

export interface PepperUse {
  version: number;
  /** Whether CREDENTIAL_PEPPERS has it, as this command sees it. */
  isConfigured: boolean;
  /** New pairs are stored under it. */
  isCurrent: boolean;
  livePairs: number;
  advice: string;
}

export interface PepperReport {
  versions: PepperUse[];
  /** Live pairs under another pepper than the current one. */
  toRotate: ListedKeyPair[];
  /** Whether some live pair has no pepper here, and so cannot work. */
  isPepperMissing: boolean;
}

function adviceFor({ isConfigured, isCurrent, livePairs }: Omit<PepperUse, 'advice'>): string {
  if (!isConfigured) return 'missing: these pairs get 500 until CREDENTIAL_PEPPERS has it again';
  if (isCurrent) return 'keep: new pairs are stored under it';
  return livePairs === 0 ? 'may be dropped' : 'keep until the pairs below are rotated and the old ones ended';
}

/** Which peppers live pairs need, oldest first. */
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
