import type { ListedCompany } from '../../../core/companies/companies-overview.store';
import type { Finding } from './finding';

/** A freeze is temporary: its bank keeps every completion until it ends. */
const longestFreezeMs = 3 * 86_400_000;

/** The companies that have been frozen for longer than three days. */
export function judgeFrozen(
  companies: readonly Pick<ListedCompany, 'name' | 'frozenAt'>[],
  now: Date,
): Finding {
  const check = 'frozen companies';
  const forgotten = companies.flatMap(({ name, frozenAt }) =>
    frozenAt !== null && now.getTime() - frozenAt.getTime() > longestFreezeMs
      ? [`"${name}" since ${frozenAt.toISOString().slice(0, 10)}`]
      : [],
  );
  if (forgotten.length === 0)
    return { check, status: 'ok', detail: 'none has been frozen for more than 3 days' };
  return {
    check,
    status: 'warning',
    detail: `frozen for more than 3 days: ${forgotten.join(', ')}. Clients keep what they could not send: run companies unfreeze, or companies revoke-keys to end their access`,
  };
}
