import type { Random } from '../../faults/random';
import type { FuzzWorld } from './valid-request';
import type { RequestParts } from './request-parts';

/** A mutation that makes a request invalid or unusual. It changes the parts in place. */
export interface Mutation {
  readonly name: string;
  /** The relative frequency of the mutation. */
  readonly weight: number;
  readonly applies: (parts: RequestParts) => boolean;
  readonly apply: (parts: RequestParts, random: Random, world: FuzzWorld) => void;
}

/** Picks by weight. */
export function pickMutation(mutations: readonly Mutation[], random: Random): Mutation {
  const total = mutations.reduce((sum, { weight }) => sum + weight, 0);
  let rest = random.next() * total;
  for (const mutation of mutations) {
    rest -= mutation.weight;
    if (rest < 0) return mutation;
  }
  throw new Error('the list to pick from is empty');
}
