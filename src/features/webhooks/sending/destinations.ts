import { isIP, type LookupFunction } from 'node:net';

import ipaddr from 'ipaddr.js';

import { createNameServers, type Resolve, resolveWithSystem } from './host-names';

export type { Resolve } from './host-names';

/** Thrown if a connection would lead to an address that is not public. */
export class ForbiddenDestination extends Error {
  constructor() {
    super('the address is not public');
    this.name = 'ForbiddenDestination';
  }
}

/**
 * Decides which addresses endpoints can have. It checks each URL that is set and each connection.
 */
export type Destinations = ReturnType<typeof createDestinations>;

/** Whether the host is on the partner's own machine, which the service cannot reach. */
const isLocal = (host: string): boolean =>
  /^(.+\.)?localhost$/.test(host) || (isIP(host) !== 0 && rangeOf(host) === 'loopback');

const localAdvice =
  'The url is an address of your own machine, which the service cannot reach. For a receiver there, run `./node_modules/.bin/contribution-service-sdk listen --forward-to URL`.';

const securePorts = new Set(['', '443', '8443']);
/** All global unicast addresses of IPv6. Other prefixes can lead to IPv4 addresses. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');
/** This address looks public, but belongs to a service of Azure for its virtual machines. */
const azureHost = '168.63.129.16';
/** The time limit for resolving a host name. A request that sets a URL waits for the result. */
const resolveTimeoutMs = 2_000;

function rangeOf(text: string): string {
  if (!ipaddr.isValid(text)) return 'invalid';
  // An IPv4 address within an IPv6 address is checked as IPv4.
  const address = ipaddr.process(text);
  if (address.toString() === azureHost) return 'special';
  const range = address.range();
  return range === 'unicast' && address.kind() === 'ipv6' && !address.match(globalUnicast)
    ? 'special'
    : range;
}

/** The host without the brackets of an IPv6 address. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

/**
 * @param allowsLoopback accepts http and any port on this machine, for development
 * @param resolve replaces the resolver, for tests
 */
export function createDestinations(
  allowsLoopback: boolean,
  resolve: Resolve = allowsLoopback ? resolveWithSystem : createNameServers(),
) {
  function isAllowed(url: URL, address: string): boolean {
    const range = rangeOf(address);
    if (range === 'loopback') return allowsLoopback;
    return range === 'unicast' && url.protocol === 'https:' && securePorts.has(url.port);
  }

  async function addressesOf(url: URL): Promise<string[]> {
    const host = hostOf(url);
    if (isIP(host) !== 0) return [host];
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(Object.assign(new Error('the name server did not respond'), { code: 'EAI_AGAIN' }));
      }, resolveTimeoutMs);
    });
    return Promise.race([resolve(host), timeout]).finally(() => {
      clearTimeout(timer);
    });
  }

  async function allowedAddresses(url: URL): Promise<string[]> {
    const addresses = await addressesOf(url);
    if (addresses.length === 0 || !addresses.every((address) => isAllowed(url, address)))
      throw new ForbiddenDestination();
    return addresses;
  }

  return {
    /** Why events cannot be delivered to this address; undefined if they can. */
    async refusal(url: URL): Promise<string | undefined> {
      if (isLocal(hostOf(url)) && !allowsLoopback) return localAdvice;
      if (url.protocol !== 'https:' && !allowsLoopback)
        return 'The url begins with http://. Send one that begins with https://.';
      if (!securePorts.has(url.port) && !allowsLoopback)
        return 'The service does not deliver to the port of the url. Use port 443 or 8443.';
      try {
        await allowedAddresses(url);
        return undefined;
      } catch (error) {
        return error instanceof ForbiddenDestination
          ? 'An address of the host in the url is not public. Send the url of a host that has only public addresses.'
          : 'The host in the url cannot be resolved. Check its name and its DNS records. If they are correct, its name servers may not respond at the moment: send the request again later.';
      }
    },
    /** Resolves the host for one connection. Fails if any of its addresses is forbidden. */
    lookupFor:
      (url: URL): LookupFunction =>
      (_host, options, callback) => {
        allowedAddresses(url).then(
          (addresses) => {
            const found = addresses.map((address) => ({ address, family: isIP(address) }));
            const [first] = found;
            if (options.all) callback(null, found);
            else callback(null, first?.address ?? '', first?.family);
          },
          (error: unknown) => {
            callback(error as NodeJS.ErrnoException, '', 0);
          },
        );
      },
    /** @throws ForbiddenDestination if the host or the connected address is forbidden */
    requireAddress(url: URL, address: string | undefined) {
      const host = hostOf(url);
      const isForbidden = (text: string): boolean => isIP(text) !== 0 && !isAllowed(url, text);
      if (isForbidden(host) || (address !== undefined && isForbidden(address)))
        throw new ForbiddenDestination();
    },
  };
}
