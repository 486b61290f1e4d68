import type { Random } from '../random';
import type { World } from '../world';

/** The result of a fault: the remaining work, and the times to measure. */
export interface Injected {
  /** When the damage was done, in milliseconds since 1970. Recovery is measured from here. */
  hitAt: number;
  /** Restores what the service does not need, after it has recovered; for example a new standby. */
  mend?: () => Promise<void>;
  /** Existing rows may be lost, so everything must be checked. */
  checkEverything?: boolean;
}

/** A kind of fault. It draws all its choices from `random`, so that a seed reproduces the fault. */
export interface FaultKind<In = World> {
  readonly name: string;
  /** Why it cannot be injected on this machine; undefined if it can. */
  whyUnavailable?(world: In): string | undefined;
  /** Injects the fault and ends it. Resolves when the service can recover. */
  inject(world: In, random: Random): Promise<Injected>;
}
