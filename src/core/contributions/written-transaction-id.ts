import { ServiceError } from '../../shared/errors';
import { type ParsedTransactionId, parseTransactionId } from '../../shared/transaction-id';

/** The same error for an id that was never issued and for one that the caller may not see. */
export function transactionNotFound(): ServiceError {
  return new ServiceError('transaction_not_found', {
    detail: 'No transaction with this id is visible to your key pair.',
  });
}

/** The check character is public, so the response can report a typo without a database lookup. */
export function readTransactionId(writtenId: string): ParsedTransactionId {
  const id = parseTransactionId(writtenId);
  if (id) return id;
  throw new ServiceError('transaction_not_found', {
    detail:
      'This is not a valid transaction_id. A valid id has 15 letters and digits, and the last one is a check character. Check for a typo.',
  });
}
