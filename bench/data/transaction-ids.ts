import { composeTransactionId } from '../../src/shared/transaction-id';

/** Number of ids that can be generated within one second. */
export const serialNumbers = 2 ** 19;

/** The id for a serial number. The same number always gives the same id. */
export function transactionIdOf(tag: string, at: Date, serial: number): string {
  const number = 2 * (serial % serialNumbers);
  const found = composeTransactionId(tag, at, number) ?? composeTransactionId(tag, at, number + 1);
  if (found === undefined) throw new Error('neither of two consecutive numbers has a valid check character');
  return found;
}
