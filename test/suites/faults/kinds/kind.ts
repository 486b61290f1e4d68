import type { Random } from '../random';
import type { World } from '../world';

/** What a fault left to be done and to be measured. */
export interface Injected {
  /** When the harm was done, in milliseconds since 1970: from here the recovery is counted. */
  hitAt: number;
  /** Puts back what the service does not need to recover, once it has recovered: a new standby. */
  mend?: () => Promise<void>;
  /**
   * Rows may have gone that were there before: everything is checked, not only what was touched.
   */
  checkEverything?: boolean;
}

/**
 * A kind of fault. Whatever it draws comes from `random`, so that a seed gives the same fault
 * again.
 */
export interface FaultKind {
  readonly name: string;
  /** Why it cannot be injected on this machine; undefined when it can. */
  whyUnavailable?(world: World): string | undefined;
  /** Does the harm and ends it. Resolves when the service can recover. */
  inject(world: World, random: Random): Promise<Injected>;
}
