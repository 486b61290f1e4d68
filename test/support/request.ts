import type { Server } from 'node:http';

import { Test } from 'supertest';

/**
 * A request of supertest that formats the stack of an `expect` only when the expectation fails.
 * supertest formats it for every `expect`, which took 3 % of the CPU time of the API tests. If an
 * upgrade of supertest breaks this class, return supertest's own `Test` instead.
 */
export function createRequest(server: Server, method: string, path: string): Test {
  return new LazyTest(server, method, path);
}

class LazyTest extends Test {
  override expect(...given: unknown[]): this {
    // V8 formats a stack when it is first read.
    const caller = new Error('caller');
    const { _asserts: asserts } = this as unknown as { _asserts: Assert[] };
    const countBefore = asserts.length;
    withoutStacks(() => {
      (super.expect as (...given: unknown[]) => unknown)(...given);
    });
    const added = asserts.splice(countBefore);
    asserts.push(...added.map((assert) => withStackOf(caller, assert)));
    return this;
  }
}

/** A check that supertest runs on the response. It returns an error if the check fails. */
type Assert = (response: unknown) => unknown;

function withoutStacks(work: () => void): void {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Puts the lines of the `expect` before those of the check, as supertest does. */
function withStackOf(caller: Error, assert: Assert): Assert {
  return (response) => {
    const error = assert(response);
    if (error instanceof Error) {
      const callerLines = (caller.stack ?? '').split('\n').slice(2).join('\n');
      error.stack = error.stack?.replace('\n----', () => `\n${callerLines}\n----`) ?? '';
    }
    return error;
  };
}
