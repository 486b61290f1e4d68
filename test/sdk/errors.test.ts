import * as sdk from '../../packages/sdk/src/index.js';

const rejection = {
  status: 429,
  code: 'rate_limited',
  detail: 'Slow down.',
  errors: [],
  retryable: true,
  requestId: undefined,
  retryAfterMs: 1_000,
};

/** A second copy of the SDK, as a program has it that loads both formats of the package. */
function otherCopy(): typeof sdk {
  let copy: typeof sdk | undefined;
  jest.isolateModules(() => {
    copy = jest.requireActual<typeof sdk>('../../packages/sdk/src/index.js');
  });
  return copy!;
}

test('an error of another copy of the SDK is recognized by its class', () => {
  const other = otherCopy();
  expect(other.RateLimited).not.toBe(sdk.RateLimited);
  const error = new other.RateLimited(rejection);
  expect(error instanceof sdk.RateLimited).toBe(true);
  expect(error instanceof sdk.RequestRejected).toBe(true);
  expect(error instanceof sdk.ContributionError).toBe(true);
  expect(error instanceof sdk.InvalidInput).toBe(false);
  expect(new other.RequestRejected(rejection) instanceof sdk.RateLimited).toBe(false);
});

test('every class of errors is recognized across copies', () => {
  const other: Record<string, unknown> = { ...otherCopy() };
  const classes = Object.entries(sdk).filter(([, value]) => {
    const { prototype } = value as { prototype?: unknown };
    return prototype instanceof Error;
  });
  expect(classes.length).toBeGreaterThanOrEqual(9);
  for (const [name, Class] of classes) {
    const { prototype } = other[name] as { prototype: object };
    expect([name, Object.create(prototype) instanceof (Class as unknown as typeof Error)]).toEqual([
      name,
      true,
    ]);
  }
});

test('a class that extends an error of the SDK stays its own, and other values are no errors', () => {
  class Declined extends sdk.RequestRejected {}
  expect(new sdk.RequestRejected(rejection) instanceof Declined).toBe(false);
  const declined = new Declined(rejection);
  expect([declined instanceof Declined, declined instanceof sdk.RequestRejected]).toEqual([true, true]);
  for (const value of [undefined, null, 'text', new Error('other'), {}])
    expect(value instanceof sdk.ContributionError).toBe(false);
});
