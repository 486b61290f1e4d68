import { composeTransactionId } from '../../src/shared/transaction-id';

/** So many different serial numbers distinguish the identifiers of one second. */
export const serialNumbers = 2 ** 19;

/** The identifier of a serial number, always the same. */
export function transactionIdOf(tag: string, at: Date, serial: number): string {
  const number = 2 * (serial % serialNumbers);
  const found = composeTransactionId(tag, at, number) ?? composeTransactionId(tag, at, number + 1);
  if (found === undefined) throw new Error('neither of two neighbours has a check character');
  return found;
}
