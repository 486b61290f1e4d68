import { createContracts, listContracts } from '../src/contracts';
import { createMovesMoney } from '../src/http/moves-money';

const contracts = listContracts(createContracts({ minimumCents: 1n, maximumCents: 100n }));
const movesMoney = createMovesMoney(contracts);

test('creating and completing contributions moves money, and no other operation does', () => {
  const moving = contracts
    .filter(({ method, path }) =>
      movesMoney({
        method: method.toUpperCase(),
        url: `${path.replaceAll(/\{\w+\}/g, '1')}?user_hash=somebody`,
      }),
    )
    .map(({ method, path }) => `${method} ${path}`);
  expect(moving.sort()).toEqual([
    'post /company/integration/create/payment',
    'post /company/integration/orders/make',
    'put /company/integration/contributions/create',
    'put /company/integration/contributions/{transaction_id}',
  ]);
});

test.each([
  ['PUT', '/company/integration/contributions/create/', true],
  ['PUT', '/company/integration/contributions/create', true],
  ['GET', '/company/integration/contributions/create', false],
  ['PUT', '/company/integration/contributions/1/2', false],
  ['PUT', '/company/integration/get/projects?next=/company/integration/contributions/create', false],
  ['PUT', undefined, false],
])('%s %s: %s', (method, url, expected) => {
  expect(movesMoney({ method, url })).toBe(expected);
});
