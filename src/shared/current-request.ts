import { AsyncLocalStorage } from 'node:async_hooks';

/** Knows, from anywhere in the work of a request, which request that is. */
export interface CurrentRequest {
  /** Does some work, and all that it starts, in the name of a request. */
  run: (requestId: string, work: () => void) => void;
  /** Undefined outside of a request. */
  id: () => string | undefined;
}

/** Costs a few microseconds a request on Node 20 and next to nothing on 24: made only where somebody asks for the id. */
export function createCurrentRequest(): CurrentRequest {
  const storage = new AsyncLocalStorage<string>();
  return {
    run: (requestId, work) => {
      storage.run(requestId, work);
    },
    id: () => storage.getStore(),
  };
}

/** Knows nothing and costs nothing. */
export const noCurrentRequest: CurrentRequest = {
  run: (_requestId, work) => {
    work();
  },
  id: () => undefined,
};
