import type { FaultKind } from '../../http/faults/fault-kinds';
import type { TakeFault } from '../../http/faults/request-fault';
import type { Principal } from '../../shared/scopes';
import type { ArmedFault, FaultsStore } from './faults.store';

/** Failures that a company arms for the requests of its own test environment. */
export interface FaultsService {
  arm(
    principal: Principal,
    fault: Pick<ArmedFault, 'operation' | 'kind' | 'times' | 'delayMs'>,
  ): Promise<ArmedFault>;
  list(principal: Principal): Promise<ArmedFault[]>;
  disarm(principal: Principal): Promise<void>;
  take: TakeFault;
}

/**
 * @param forgetKeyPair makes this process read a key pair again, with the operations that have
 *   faults. Other processes get a notification.
 */
export function createFaultsService(
  store: FaultsStore,
  forgetKeyPair: (apiKey: string) => void,
): FaultsService {
  return {
    async arm({ environmentId }, requested) {
      const { fault, apiKeys } = await store.arm(environmentId, requested);
      apiKeys.forEach(forgetKeyPair);
      return fault;
    },
    list: ({ environmentId }) => store.list(environmentId),
    disarm: ({ environmentId }) => store.disarm(environmentId),
    async take({ environmentId, apiKey }, operationId) {
      const taken = await store.take(environmentId, operationId);
      // If no fault is armed any more, the next request skips the lookup.
      if (!taken || taken.timesLeft === 0) forgetKeyPair(apiKey);
      // The cast is safe, because an operation of the API has no faults of webhook deliveries.
      return taken && { ...taken, kind: taken.kind as FaultKind };
    },
  };
}
