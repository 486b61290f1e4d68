import { findResetContributions } from '../../src/features/bank-statements/contributions/reset-contributions';

test('many reset environments take one statement for references, and one for each tag that an id has', async () => {
  const environments = Array.from({ length: 1_000 }, (_, index) => ({
    environment_id: index + 1,
    transaction_tag: index < 20 ? 'AAAA' : `B${String(index % 50).padStart(3, '0')}`,
  }));
  const calls: [string, number][] = [];
  const find = (name: string) => (_: number, environmentIds: readonly number[], some: readonly string[]) => {
    calls.push([name, environmentIds.length]);
    return Promise.resolve([...some]);
  };
  const found = await findResetContributions(
    {
      resetEnvironments: () => Promise.resolve(environments),
      findResetIds: find('ids'),
      findResetReferences: find('references'),
    },
    1,
    ['AAAA1', 'AAAA2', 'CCCC1'],
    ['FT-1'],
  );
  expect(calls).toEqual([
    ['ids', 20],
    ['references', 1_000],
  ]);
  expect(found).toEqual({ ids: new Set(['AAAA1', 'AAAA2']), references: new Set(['FT-1']) });
});
