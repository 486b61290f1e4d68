import { hash } from 'node:crypto';

import { batchKey, moneyKey } from '../rules/counting/near-lines';

/** A bigint for an account and a key. Different keys can have the same one. */
const hashOf = (accountId: string, key: string): string =>
  hash('sha256', `${accountId} ${key}`, 'buffer').readBigInt64BE(0).toString();

/** Finds the lines of an account with the same money: `money_hash` in the database. */
export const moneyHash = (accountId: string, line: Parameters<typeof moneyKey>[0]): string =>
  hashOf(accountId, moneyKey(line));

/** Finds the lines of an account with the same batch entry: `batch_hash` in the database. */
export const batchHash = (accountId: string, line: Parameters<typeof batchKey>[0]): string =>
  hashOf(accountId, batchKey(line));
