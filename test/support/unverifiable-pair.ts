import { randomBytes } from 'node:crypto';

import type { KeyPair } from '../../src/core/key-pairs/credentials';
import type { TestDatabase } from './database';
import { operate } from './operations';
import { scopes } from './scopes';

/** Issues a test pair as a command does whose CREDENTIAL_PEPPERS has one more version. */
export function issueUnverifiablePair(
  database: Pick<TestDatabase, 'operatorUrl'>,
  company: string,
): Promise<KeyPair> {
  const order = { company, kind: 'test', scopes, expiresAt: undefined } as const;
  const peppers = new Map([[9, randomBytes(32)]]);
  return operate(database, ({ keyPairs }) => keyPairs.issue(order), 'write', peppers);
}
