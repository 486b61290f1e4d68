import { randomUUID } from 'node:crypto';

import { drawKeyPair } from '../../../src/core/key-pairs/credentials';
import { pieces } from './cases/case';
import { ambiguousFramings } from './cases/framing';
import { createGenerator, mutations } from './cases/generate';
import type { FuzzWorld } from './cases/valid-request';
import { createRoutes, listOperations, readOpenApiDocument } from './operations';

const statements = { files: [randomUUID()], entries: [randomUUID()], accounts: [randomUUID()] };
const world: FuzzWorld = {
  environments: [
    { pair: drawKeyPair('test'), transactionIds: ['K7Q20CR5M3V9XHG'], statements },
    { pair: drawKeyPair('production'), transactionIds: ['K7Q20CR5M3V9XHH'], statements },
  ],
  odd: [drawKeyPair('test')],
  projectIds: [1, 2],
  storyIds: [1, 2],
  headers: [['X-Forwarded-Proto', 'https']],
};
const operations = listOperations(readOpenApiDocument());
const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('a generated case', () => {
  test('with the same seed and index is the same, whatever was generated before it', () => {
    const generate = createGenerator(operations, world, 7);
    const again = createGenerator(operations, world, 7);
    for (const index of range(300)) expect(generate(index)).toEqual(again(index));
    expect(createGenerator(operations, world, 7)(299)).toEqual(generate(299));
  });

  test('does not change the shared values', () => {
    const before = JSON.stringify(world);
    range(2_000).forEach(createGenerator(operations, world, 7));
    expect(JSON.stringify(world)).toBe(before);
  });

  test('with another seed is different', () => {
    const [one, other] = [7, 8].map((seed) => createGenerator(operations, world, seed));
    const equal = range(300).filter((index) => one!(index).bytes.equals(other!(index).bytes));
    expect(equal.length).toBeLessThan(15);
  });

  test('is sent completely, even in many pieces', () => {
    const generate = createGenerator(operations, world, 9);
    const cases = range(500).map(generate);
    expect(cases.filter(({ cuts }) => cuts.length > 0).length).toBeGreaterThan(30);
    for (const one of cases) expect(Buffer.concat(pieces(one)).equals(one.bytes)).toBe(true);
  });
});

describe('the generator', () => {
  const generate = createGenerator(operations, world, 1);
  const cases = range(12_000).map(generate);

  test('produces every mutation, every ambiguous framing, and valid requests', () => {
    const kinds = new Set(cases.flatMap(({ kind }) => (kind.includes(':') ? [kind] : kind.split('+'))));
    const wanted = [
      ...mutations.map(({ name }) => name),
      ...ambiguousFramings.map(({ name }) => `framing:${name}`),
      ...['valid', 'pipeline', 'raw:damaged', 'raw:noise'],
    ];
    expect(wanted.filter((name) => !kinds.has(name))).toEqual([]);
  });

  test('produces every operation of the published document', () => {
    const routeOf = createRoutes(operations);
    const seen = new Set(
      cases.flatMap(({ requests }) =>
        requests.map(({ method, target }) => routeOf(target)?.get(method)?.operationId),
      ),
    );
    expect(operations.map(({ operationId }) => operationId).filter((id) => !seen.has(id))).toEqual([]);
  });
});
