import { parseTransactionId } from './transaction-id';
import { isUuid } from './uuid';

/**
 * The ids among the parameters of a path, in the form of responses. Other texts may contain
 * anything, so they are left out.
 */
export function loggableIds(params: Readonly<Record<string, string>>): Record<string, string> {
  const ids: Record<string, string> = {};
  for (const [name, value] of Object.entries(params)) {
    const id =
      name === 'transaction_id'
        ? parseTransactionId(value)?.transactionId
        : isUuid(value)
          ? value.toLowerCase()
          : undefined;
    if (id !== undefined) ids[name] = id;
  }
  return ids;
}
