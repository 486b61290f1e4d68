import { Router } from 'express';

import type { EndpointContract } from './contract';
import { type EndpointDependencies, type EndpointResponse, handle, type Input, limited } from './endpoint';
import { pathPattern } from './urls';

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

/**
 * The order in which the routes were bound, except that a fixed path precedes a path with a
 * parameter that it matches. Express tries one route after the other.
 */
function inMatchingOrder<Route extends { contract: EndpointContract }>(bound: readonly Route[]): Route[] {
  const ordered: Route[] = [];
  for (const route of bound) {
    const { path } = route.contract;
    const hidden = ordered.findIndex(
      ({ contract }) => contract.path.includes('{') && pathPattern(contract.path).test(path),
    );
    ordered.splice(path.includes('{') || hidden < 0 ? ordered.length : hidden, 0, route);
  }
  return ordered;
}

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
      for (const { addTo } of inMatchingOrder(bound)) addTo(router, dependencies);
      return router;
    },
  };
}
