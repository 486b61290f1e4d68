import { listContracts } from '../../src/contracts';
import { createFindPath, operationOf } from '../../src/http/operations';
import { paramsOf } from '../../src/http/request/parse-input';

const contracts = listContracts({ minimumCents: 1n, maximumCents: 1_000_000n });
const findPath = createFindPath(
  contracts.map((contract) => operationOf(contract, () => Promise.reject(new Error('not called')))),
);

test('a path that still has its placeholders is a path with these values', () => {
  for (const { path } of contracts) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const found = findPath({ url: `${path}?limit=1` });
    expect(found?.path.path).toBe(path);
    expect(paramsOf(found)).toEqual(Object.fromEntries(names.map((name) => [name, `{${name}}`])));
  }
});
