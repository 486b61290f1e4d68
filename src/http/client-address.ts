import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP, isIPv6 } from 'node:net';

/** What a connection that has already ended is called: it has no address any more. */
const unknownAddress = 'unknown';

/** What the ranges said of an address before: each request asks, and looking costs more than all else that is done with it. */
const knownAddresses = new WeakMap<BlockList, Map<string, boolean>>();
const mostKnownAddresses = 1_000;

/** Whether an address lies in a configured range; an IPv4 address in IPv6 spelling is the IPv4 address. */
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
 * The address of the client that a request came from, as something to count by: an IPv4 address, or the /64 network of an
 * IPv6 address ("2001:db8:0:1::/64"), because whoever has one address there has all of them.
 *
 * X-Forwarded-For counts only when the connection is from a trusted proxy, and is read from the right: each proxy appends
 * whom it talked to, so all that stands left of the first untrusted address is what that client claims. An entry that is no
 * address ends the walk at the proxy that wrote it.
 */
export function clientAddress(
  req: Pick<IncomingMessage, 'headers' | 'socket'>,
  trustedProxies: BlockList,
): string {
  let address = plainAddress(req.socket.remoteAddress ?? '');
  if (address === undefined) return unknownAddress;
  // Node joins a header that was sent several times with commas, in order.
  const forwarded = [req.headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  while (isTrusted(address, trustedProxies)) {
    const previous = plainAddress(forwarded.pop()?.trim() ?? '');
    if (previous === undefined) break;
    address = previous;
  }
  return networkOf(address);
}

/** An address without port, brackets and zone, IPv4 in IPv6 spelling as IPv4; undefined when the text is no address. */
function plainAddress(text: string): string | undefined {
  const [, bracketed, withPort] = /^\[([^\]]+)\](?::\d{1,5})?$|^([\d.]+):\d{1,5}$/.exec(text) ?? [];
  const address = (bracketed ?? withPort ?? text).replace(/%.*$/, '');
  if (bracketed !== undefined && !isIPv6(address)) return undefined;
  if (isIP(address) !== 6) return isIP(address) === 4 ? address : undefined;
  const groups = groupsOf(address);
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  return isMapped ? ipv4Of(groups.slice(6)) : groups.join(':');
}

/** The eight groups of an IPv6 address, in lower case and without leading zeros. */
function groupsOf(address: string): string[] {
  // The URL parser knows every spelling (RFC 4291, 2.2), the one that ends like an IPv4 address too.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
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

function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  return `${address.split(':').slice(0, 4).join(':')}::/64`;
}
