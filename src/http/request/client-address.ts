import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP, isIPv6 } from 'node:net';

/** What a connection that has already ended is called: it has no address any more. */
const unknownAddress = 'unknown';

/**
 * What the ranges said of an address before: each request asks, and looking costs more than all
 * else that is done with it.
 */
const knownAddresses = new WeakMap<BlockList, Map<string, boolean>>();
const mostKnownAddresses = 1_000;

/**
 * Nobody puts more proxies in a row. Reading an entry costs time, and a header has space for a
 * thousand.
 */
const mostProxies = 10;

/**
 * Whether an address lies in a configured range; an IPv4 address in IPv6 spelling is the IPv4
 * address.
 */
export function isTrusted(address: string, trustedProxies: BlockList): boolean {
  const known = knownAddresses.get(trustedProxies) ?? new Map<string, boolean>();
  const before = known.get(address);
  if (before !== undefined) return before;
  const found = trustedProxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  if (known.size >= mostKnownAddresses) known.clear();
  knownAddresses.set(trustedProxies, known.set(address, found));
  return found;
}

/**
 * The address of the client that a request came from, for the log: as RFC 5952 writes it, "unknown"
 * when the connection has ended.
 *
 * X-Forwarded-For counts only when the connection is from a trusted proxy, and is read from the
 * right: each proxy appends whom it talked to, so all that stands left of the first untrusted
 * address is what that client claims. An entry that is no address ends the walk at the proxy that
 * wrote it.
 *
 * The package proxy-addr would replace only this loop. It returns an entry that is no address as
 * the client.
 */
export function fullClientAddress(
  req: Pick<IncomingMessage, 'headers' | 'socket'>,
  trustedProxies: BlockList,
): string {
  let address = addressOfPeer(req.socket.remoteAddress);
  if (address === unknownAddress) return unknownAddress;
  if (!isTrusted(address, trustedProxies)) return address;
  // Node joins a header that was sent several times with commas, in order.
  const forwarded = [req.headers['x-forwarded-for'] ?? []].flat().join(',').split(',').slice(-mostProxies);
  while (isTrusted(address, trustedProxies)) {
    const previous = plainAddress(forwarded.pop()?.trim() ?? '');
    if (previous === undefined) break;
    address = previous;
  }
  return address;
}

/**
 * The address of the client that a request came from, as something to count by: an IPv4 address, or
 * the /64 network of an IPv6 address ("2001:db8:0:1::/64"), because whoever has one address there
 * has all of them.
 */
export function clientAddress(
  req: Pick<IncomingMessage, 'headers' | 'socket'>,
  trustedProxies: BlockList,
): string {
  return networkOf(fullClientAddress(req, trustedProxies));
}

/** Peers are few and ask often. */
const knownPeers = new Map<string, string>();

/** The address of the other end of a connection; "unknown" when the connection has ended. */
export function addressOfPeer(remoteAddress: string | undefined): string {
  if (remoteAddress === undefined) return unknownAddress;
  const known = knownPeers.get(remoteAddress);
  if (known !== undefined) return known;
  const address = plainAddress(remoteAddress) ?? unknownAddress;
  if (knownPeers.size >= mostKnownAddresses) knownPeers.clear();
  knownPeers.set(remoteAddress, address);
  return address;
}

/**
 * An address without port, brackets and zone, IPv4 in IPv6 spelling as IPv4; undefined when the
 * text is no address.
 */
function plainAddress(text: string): string | undefined {
  const [, bracketed, withPort] = /^\[([^\]]+)\](?::\d{1,5})?$|^([\d.]+):\d{1,5}$/.exec(text) ?? [];
  const address = (bracketed ?? withPort ?? text).replace(/%.*$/, '');
  if (bracketed !== undefined && !isIPv6(address)) return undefined;
  if (isIP(address) !== 6) return isIP(address) === 4 ? address : undefined;
  const groups = groupsOf(address);
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  return isMapped ? ipv4Of(groups.slice(6)) : canonicalOf(address);
}

/**
 * An IPv6 address as RFC 5952 writes it. The URL parser knows every spelling (RFC 4291, 2.2), the
 * one that ends like an IPv4 address too.
 */
const canonicalOf = (address: string): string => new URL(`http://[${address}]`).hostname.slice(1, -1);

/** The eight groups of an IPv6 address, in lower case and without leading zeros. */
function groupsOf(address: string): string[] {
  const [head = '', tail] = canonicalOf(address).split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  if (tail === undefined) return groups(head);
  const missing = 8 - groups(head).length - groups(tail).length;
  return [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)];
}

/** 7b7b:7b7b → 123.123.123.123 */
function ipv4Of(groups: readonly string[]): string {
  return groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((number) => [number >> 8, number & 0xff])
    .join('.');
}

/** A network to count by, and how many times the limit of one address it has. */
export interface CountedNetwork {
  network: string;
  factor: number;
}

/**
 * The networks that a client address belongs to, the widest first. An IPv6 customer has a /64, a
 * /56 or a /48, and so up to 65,536 networks of the kind that `clientAddress` names. Wider networks
 * have more customers, and a larger share.
 *
 * @param address as `clientAddress` has it
 */
export function networksToCount(address: string): readonly CountedNetwork[] {
  const [, site, subnet] = /^([\da-f]+:[\da-f]+:[\da-f]+):([\da-f]+)::\/64$/.exec(address) ?? [];
  if (site === undefined || subnet === undefined) return [{ network: address, factor: 1 }];
  const customer = (Number.parseInt(subnet, 16) & 0xff00).toString(16);
  return [
    { network: `${site}::/48`, factor: 4 },
    { network: `${site}:${customer}::/56`, factor: 2 },
    { network: address, factor: 1 },
  ];
}

/** @param address as `fullClientAddress` has it */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  return `${groupsOf(address).slice(0, 4).join(':')}::/64`;
}
