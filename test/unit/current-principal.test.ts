import { handleAsCurrentPrincipal } from '../../src/http/current-principal';
import { OutdatedKeyPair, ServiceError } from '../../src/shared/errors';
import type { Principal } from '../../src/shared/scopes';

/** A handler whose key pair was moved or revoked after authentication. */
const principalOf = (environmentId: number): Principal => ({
  apiKey: 'cpk_test_1',
  environmentId,
  environmentKind: 'test',
  transactionTag: 'ABCD',
  scopes: [],
  rateLimits: { requestsPerSecond: null, completionsPerSecond: null },
  faultyOperations: [],
  isFrozen: false,
});

/** Succeeds in one environment, and is outdated in all others. */
const worksIn =
  (environmentId: number) =>
  ({ principal }: { principal: Principal }): Promise<number> =>
    principal.environmentId === environmentId
      ? Promise.resolve(environmentId)
      : Promise.reject(new OutdatedKeyPair());

/** Each call returns the next environment. */
function reading(...environmentIds: number[]) {
  return jest.fn(() => Promise.resolve(principalOf(environmentIds.shift() ?? 0)));
}

const newInput = () => ({ principal: principalOf(1) });

test('without a reset the pair is not read again', async () => {
  const again = reading();
  expect(await handleAsCurrentPrincipal(newInput(), worksIn(1), again)).toBe(1);
  expect(again).not.toHaveBeenCalled();
});

test('after resets the handler runs in the latest environment', async () => {
  expect(await handleAsCurrentPrincipal(newInput(), worksIn(3), reading(2, 3))).toBe(3);
});

test('a pair that was not moved is rejected like a revoked one', async () => {
  await expect(handleAsCurrentPrincipal(newInput(), worksIn(2), reading(1))).rejects.toMatchObject({
    code: 'credentials_invalid',
  });
});

test('a revoked pair is rejected, and the handler does not run again', async () => {
  const handler = jest.fn(worksIn(2));
  const revoked = new ServiceError('credentials_invalid', { detail: 'revoked' });
  await expect(handleAsCurrentPrincipal(newInput(), handler, () => Promise.reject(revoked))).rejects.toBe(
    revoked,
  );
  expect(handler).toHaveBeenCalledTimes(1);
});

test('another error is not retried', async () => {
  const again = reading(2);
  const failure = new Error('no');
  await expect(handleAsCurrentPrincipal(newInput(), () => Promise.reject(failure), again)).rejects.toBe(
    failure,
  );
  expect(again).not.toHaveBeenCalled();
});

test('it gives up when every attempt meets another reset', async () => {
  const again = reading(2, 3, 4, 5, 6, 7, 8);
  await expect(handleAsCurrentPrincipal(newInput(), worksIn(99), again)).rejects.toBeInstanceOf(
    OutdatedKeyPair,
  );
  expect(again).toHaveBeenCalledTimes(4);
});
