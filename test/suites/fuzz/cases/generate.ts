import { createRandom, type Random } from '../../faults/random';
import type { Operation } from '../operations';
import type { FuzzCase } from './case';
import { ambiguousCase } from './framing';
import { encodingMutations } from './mutate-encoding';
import { fileMutations } from './mutate-files';
import { formMutations } from './mutate-form';
import { headerMutations } from './mutate-headers';
import { jsonMutations } from './mutate-json';
import { targetMutations } from './mutate-target';
import { type Mutation, pickMutation } from './mutation';
import { pipelineCase } from './pipelines';
import { rawCase } from './raw-bytes';
import { caseOf, render, type RequestParts } from './request-parts';
import { isUpload } from './statement-files';
import { type FuzzWorld, validRequest } from './valid-request';

export const mutations: readonly Mutation[] = [
  ...targetMutations,
  ...headerMutations,
  ...jsonMutations,
  ...formMutations,
  ...fileMutations,
  ...encodingMutations,
];

/** Lists get less time than the rest, because they are the slowest to serve and to check. */
const rarely = new Set(['listContributions', 'listProjects']);

/**
 * A separate random generator for each case, so that a case can be generated without the earlier
 * ones.
 */
function randomOf(seed: number, index: number): Random {
  return createRandom(Math.imul(seed ^ 0x5bd1e995, 0x9e3779b1) + Math.imul(index + 1, 0x85ebca6b));
}

/**
 * Generates the cases of a seed. The same index gives the same case, except for keys and ids that
 * the service generates.
 */
export function createGenerator(operations: readonly Operation[], world: FuzzWorld, seed: number) {
  const often = operations.filter(({ operationId }) => !rarely.has(operationId));
  const withBody = operations.filter(({ body }) => body !== undefined);
  const uploads = operations.filter(isUpload);

  function valid(
    random: Random,
    requestId: string,
    from = random.chance(0.06) ? operations : often,
  ): RequestParts {
    return validRequest(random.pick(from), world, random.pick(world.environments), requestId, random);
  }

  function mutated(index: number, random: Random): FuzzCase {
    const parts = valid(random, `fuzz-${index}`);
    const names: string[] = [];
    for (let count = random.pick([1, 1, 1, 2, 2, 3, 5]); count > 0; count -= 1) {
      const mutation = pickMutation(
        mutations.filter(({ applies }) => applies(parts)),
        random,
      );
      mutation.apply(parts, random, world);
      names.push(mutation.name);
    }
    return caseOf(index, [...new Set(names)].join('+'), parts);
  }

  /** A hostile file of a bank, in a request that is otherwise valid. */
  function withFile(index: number, random: Random): FuzzCase {
    const parts = valid(random, `fuzz-${index}`, uploads);
    const mutation = pickMutation(
      fileMutations.filter(({ applies }) => applies(parts)),
      random,
    );
    mutation.apply(parts, random, world);
    return caseOf(index, mutation.name, parts);
  }

  function make(index: number, random: Random): FuzzCase {
    const choice = random.next();
    if (choice < 0.04) return withFile(index, random);
    if (choice < 0.7) return mutated(index, random);
    if (choice < 0.78) return caseOf(index, 'valid', valid(random, `fuzz-${index}`));
    if (choice < 0.86) {
      const { pair } = random.pick(world.environments);
      const proxy = world.headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      const credentials = `${proxy}API-Key: ${pair.apiKey}\r\nAPI-Secret: ${pair.apiSecret}\r\n`;
      return ambiguousCase(index, valid(random, `fuzz-${index}`, withBody), credentials, random);
    }
    if (choice < 0.9) {
      const count = random.pick([2, 2, 3, 6, 12]);
      const requests = Array.from({ length: count }, (_, number) => valid(random, `fuzz-${index}-${number}`));
      return pipelineCase(index, requests, random);
    }
    return rawCase(index, render(valid(random, `fuzz-${index}`)), random);
  }

  return (index: number): FuzzCase => {
    const random = randomOf(seed, index);
    const made = make(index, random);
    if (made.bytes.length < 2 || !random.chance(0.15)) return made;
    const count = random.pick([1, 1, 2, 5]);
    const cuts = Array.from({ length: count }, () => random.integer(1, made.bytes.length - 1));
    return { ...made, cuts: cuts.sort((a, b) => a - b) };
  };
}

export type Generator = ReturnType<typeof createGenerator>;
