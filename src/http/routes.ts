import { Router } from 'express';

import type { EndpointContract } from './contract';
import { type EndpointDependencies, type EndpointResponse, handle, type Input, limited } from './endpoint';
import { fixedPathsFirst } from './urls';

type Handler<C extends EndpointContract> = (input: Input<C>) => Promise<EndpointResponse<C>>;

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

export interface MountableRoutes extends Routes {
  /** One router for all operations, because each request passes through every router. */
  mount(dependencies: EndpointDependencies): Router;
}

/** The path in Express's notation: /pets/:pet_id */
const expressPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

export function createRoutes(): MountableRoutes {
  const bound: { contract: EndpointContract; addTo: (router: Router, http: EndpointDependencies) => void }[] =
    [];
  return {
    get contracts() {
      return bound.map(({ contract }) => contract);
    },
    bind: (contract) => ({
      to(handler) {
        bound.push({
          contract,
          addTo: (router, http) =>
            void router[contract.method](
              expressPath(contract.path),
              handle(http, contract, limited(http, contract, handler)),
            ),
        });
      },
    }),
    mount(dependencies) {
      const router = Router({ caseSensitive: true });
      const inOrder = bound.toSorted((a, b) => fixedPathsFirst(a.contract, b.contract));
      for (const { addTo } of inOrder) addTo(router, dependencies);
      return router;
    },
  };
}
