import { defaultDetail } from '../../http/errors/error-catalog';
import { ServiceError } from '../../shared/errors';

/** Files in progress in this process. A file keeps one connection to the database busy. */
export const mostBatches = 2;

export interface BatchSlots {
  /**
   * @returns a function that frees the slot
   * @throws ServiceError rate_limited if a file of this environment is in progress; overloaded if
   *   all slots are taken
   */
  take(environmentId: number): () => void;
}

export function createBatchSlots(): BatchSlots {
  const environments = new Set<number>();
  return {
    take(environmentId) {
      if (environments.has(environmentId)) {
        throw new ServiceError('rate_limited', {
          detail:
            'Another file of your environment is in progress. Nothing was done. Wait Retry-After seconds, then retry.',
          headers: { 'Retry-After': '1' },
        });
      }
      if (environments.size >= mostBatches) {
        throw new ServiceError('overloaded', { detail: defaultDetail('overloaded') });
      }
      environments.add(environmentId);
      return () => environments.delete(environmentId);
    },
  };
}
