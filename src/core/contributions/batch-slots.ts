import { defaultDetail } from '../../http/errors/error-catalog';
import { ServiceError } from '../../shared/errors';
import type { Principal } from '../../shared/scopes';

/**
 * The maximum number of files in progress in this process, separately for production and test
 * environments. A company has one environment of each kind, so it cannot occupy all slots. Each
 * file keeps one database connection busy.
 */
export const mostBatches = 2;

export function createBatchSlots() {
  const environments = new Map<number, Principal['environmentKind']>();
  return {
    /**
     * @returns a function that frees the slot
     * @throws ServiceError rate_limited if a file of this environment is in progress; overloaded if
     *   all slots of this kind of environment are taken
     */
    take({ environmentId, environmentKind }: Pick<Principal, 'environmentId' | 'environmentKind'>) {
      if (environments.has(environmentId)) {
        throw new ServiceError('rate_limited', {
          detail:
            'Another file of your environment is in progress. No changes were made. Wait Retry-After seconds, then retry.',
          headers: { 'Retry-After': '1' },
        });
      }
      const ofSameKind = [...environments.values()].filter((kind) => kind === environmentKind);
      if (ofSameKind.length >= mostBatches) {
        throw new ServiceError('overloaded', { detail: defaultDetail('overloaded') });
      }
      environments.set(environmentId, environmentKind);
      return () => environments.delete(environmentId);
    },
  };
}
