import type { Exchange } from './cases/case';
import type { Generator } from './cases/generate';

/** A slow case. */
export interface SlowCase {
  readonly index: number;
  readonly kind: string;
  readonly outcome: string;
  readonly sentBytes: number;
  readonly receivedBytes: number;
  readonly elapsedMs: number;
}

const kept = 60;

/** Keeps the slowest cases of a run. */
export class Slowest {
  private cases: SlowCase[] = [];
  private floorMs = 0;

  note(slow: SlowCase): void {
    if (slow.elapsedMs <= this.floorMs && this.cases.length >= kept) return;
    this.cases = [...this.cases, slow].sort((a, b) => b.elapsedMs - a.elapsedMs).slice(0, kept);
    this.floorMs = this.cases.at(-1)?.elapsedMs ?? 0;
  }

  /**
   * Cases in a run also wait for others. So the slowest ones are sent again alone, and the shortest
   * of several times counts.
   */
  async measureAlone(generate: Generator, exchange: Exchange): Promise<SlowCase[]> {
    const alone: SlowCase[] = [];
    for (const slow of this.cases) {
      const times: number[] = [];
      for (let count = 0; count < 5; count += 1) {
        times.push((await exchange(generate(slow.index))).elapsedMs);
      }
      alone.push({ ...slow, elapsedMs: Math.min(...times) });
    }
    return alone.sort((a, b) => b.elapsedMs - a.elapsedMs);
  }
}
