import { lookup, Resolver } from 'node:dns/promises';

/** Resolves a host name to all its addresses. */
export type Resolve = (host: string) => Promise<string[]>;

/** The resolver of the system, which also knows names that only this machine has. */
export const resolveWithSystem: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

/** With one name server, both tries take 1.8 seconds. */
const limits = { timeout: 600, tries: 2 };

/**
 * Queries the name servers directly. The system's resolver blocks one of the process's few threads
 * for each name, so name servers that do not respond would delay all lookups.
 *
 * @param servers replaces the name servers of this machine, for tests
 */
export function createNameServers(servers?: readonly string[]): Resolve {
  const resolver = new Resolver(limits);
  if (servers) resolver.setServers(servers);
  return async (host) => {
    const results = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    // Always use this code, because other codes of the resolver look like failures of the receiver.
    if (addresses.length === 0) throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' });
    return addresses;
  };
}
