import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP, isIPv6, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** The address of a connection that is already closed. */
const unknownAddress = 'unknown';

/** Caches lookups: requests behind a proxy need one, and `BlockList.check` is slow. */
const trustByAddress = new WeakMap<BlockList, Map<string, boolean>>();
const mostCachedAddresses = 1_000;

/**
 * The most proxies that count: no deployment chains more. A header has space for a thousand
 * entries, and each takes time to read.
 */
const mostProxies = 10;

/**
 * Whether an address is in a configured range. An IPv4-mapped IPv6 address counts as the IPv4
 * address.
 */
function isTrusted(address: string, trustedProxies: BlockList): boolean {
  const known = trustByAddress.get(trustedProxies) ?? new Map<string, boolean>();
  const before = known.get(address);
  if (before !== undefined) return before;
  const found = trustedProxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  if (known.size >= mostCachedAddresses) known.clear();
  trustByAddress.set(trustedProxies, known.set(address, found));
  return found;
}

/** The client of a request, which may be behind proxies. */
export interface Client {
  readonly address: string;
  readonly usesTls: boolean;
}

/** The other end of a connection. Its address is "unknown" if the connection is closed. */
export interface Peer extends Client {
  /** All trusted proxies, if it is one of them, so that its headers describe the client. */
  readonly proxies: BlockList | undefined;
}

/** Read it once for each connection: a closed connection has no address. */
export function peerOf(socket: Pick<Socket, 'remoteAddress'>, trustedProxies: BlockList): Peer {
  const address = addressOfPeer(socket.remoteAddress);
  return {
    address,
    proxies: address !== unknownAddress && isTrusted(address, trustedProxies) ? trustedProxies : undefined,
    usesTls: socket instanceof TLSSocket,
  };
}

/**
 * The full address of a request's client, and whether the client uses TLS. IPv6 addresses have the
 * form of RFC 5952. Headers count only if the connection comes from a trusted proxy.
 *
 * X-Forwarded-For is read from right to left, because each proxy appends the address of its client.
 * Everything to the left of the first untrusted address can be forged. At an invalid entry, the
 * proxy that wrote it counts as the client. X-Forwarded-Proto decides even if the proxy itself
 * connects over TLS. Its last entry is from the proxy that connects to this service.
 *
 * The package proxy-addr would replace only this loop, and returns an invalid entry as the client.
 */
export function clientOf({ headers }: Pick<IncomingMessage, 'headers'>, peer: Peer): Client {
  const { proxies } = peer;
  if (!proxies) return peer;
  let { address } = peer;
  // Node joins repeated headers with commas, in order.
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',').slice(-mostProxies);
  while (isTrusted(address, proxies)) {
    const previous = plainAddress(forwarded.pop()?.trim() ?? '');
    if (previous === undefined) break;
    address = previous;
  }
  const scheme = [headers['x-forwarded-proto'] ?? []].flat().at(-1)?.split(',').at(-1)?.trim().toLowerCase();
  return { address, usesTls: scheme === undefined ? peer.usesTls : scheme === 'https' };
}

/** The address of the other end of a connection; "unknown" if the connection is closed. */
export const addressOfPeer = (remoteAddress: string | undefined): string =>
  plainAddress(remoteAddress ?? '') ?? unknownAddress;

/**
 * An address without port, brackets and zone. An IPv4-mapped IPv6 address becomes IPv4.
 *
 * @returns undefined if the text is not an address
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
 * An IPv6 address in the form of RFC 5952. The URL parser accepts every notation of RFC 4291, 2.2,
 * including one with an IPv4 address at the end.
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

/** A network whose addresses share a limit. */
export interface CountedNetwork {
  network: string;
  /** Its limit, as a multiple of the limit of one address. */
  factor: number;
}

/**
 * The networks that contain a client address, the widest first. An IPv6 customer has a /64, a /56
 * or a /48 network, and so up to 65,536 networks of size /64. Wider networks may have several
 * customers and get a higher limit.
 *
 * @param address a result of `networkOf`
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

/**
 * The client address that limits count by: an IPv4 address, or the /64 network of an IPv6 address
 * ("2001:db8:0:1::/64"). A client that has one address of a /64 network has all of them.
 *
 * @param address of a client, as `clientOf` returns it
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  return `${groupsOf(address).slice(0, 4).join(':')}::/64`;
}
