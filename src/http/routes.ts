import type { EndpointContract } from './contract';
import type { AnyHandler, Handler } from './endpoint';
import { type Operation, operationOf } from './operations';

/** Takes the operations of all parts of the API. */
export interface Routes {
  /** The contracts that are bound so far. */
  readonly contracts: readonly EndpointContract[];
  /**
   * Binds an operation to its handler. Two steps let TypeScript check the handler against the
   * contract: `routes.bind(contract).to(handler)`.
   */
  bind<C extends EndpointContract>(contract: C): { to(handler: Handler<C>): void };
}

export interface BoundRoutes extends Routes {
  readonly operations: readonly Operation[];
}

export function createRoutes(): BoundRoutes {
  const operations: Operation[] = [];
  return {
    operations,
    get contracts() {
      return operations.map(({ contract }) => contract);
    },
    bind: (contract) => ({
      // Requests are validated by this contract before the handler gets them.
      to: (handler) => void operations.push(operationOf(contract, handler as unknown as AnyHandler)),
    }),
  };
}
