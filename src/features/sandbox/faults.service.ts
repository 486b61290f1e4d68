import type { FaultKind } from '../../http/faults/fault-kinds';
import type { Principal } from '../../shared/scopes';
import type { ArmedFault, FaultsStore } from './faults.store';

export type FaultsService = ReturnType<typeof createFaultsService>;

/**
 * Failures that a company arms for the requests of its own test environment.
 *
 * @param forgetKeyPair makes this process read a key pair again, with the operations that have
 *   faults. Other processes get a notification.
 */
export function createFaultsService(store: FaultsStore, forgetKeyPair: (apiKey: string) => void) {
  return {
    async arm(
      { environmentId }: Principal,
      requested: Pick<ArmedFault, 'operation' | 'kind' | 'times' | 'delayMs'>,
    ) {
      const { fault, apiKeys } = await store.arm(environmentId, requested);
      apiKeys.forEach(forgetKeyPair);
      return fault;
    },
    list: ({ environmentId }: Principal) => store.list(environmentId),
    disarm: ({ environmentId }: Principal) => store.disarm(environmentId),
    take: async ({ environmentId, apiKey }: Principal, operationId: string) => {
      const taken = await store.take(environmentId, operationId);
      // If no fault is armed any more, the next request skips the lookup.
      if (!taken || taken.timesLeft === 0) forgetKeyPair(apiKey);
      // The cast is safe, because an operation of the API has no faults of webhook deliveries.
      return taken && { ...taken, kind: taken.kind as FaultKind };
    },
  };
}
