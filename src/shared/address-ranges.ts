import { BlockList, isIP } from 'node:net';

export interface AddressRange {
  /** The range as written, for example "10.0.0.0/8". */
  text: string;
  address: string;
  prefixBits: number;
  family: 'ipv4' | 'ipv6';
}

/** Parses CIDR ranges separated by commas; undefined when one of them is malformed. */
export function parseAddressRanges(text: string): readonly AddressRange[] | undefined {
  const ranges = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part): AddressRange | undefined => {
      const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(part) ?? [];
      const family = isIP(address);
      const maxBits = family === 4 ? 32 : 128;
      const prefixBits = prefix === undefined ? maxBits : Number(prefix);
      if (family === 0 || prefixBits > maxBits) return undefined;
      return { text: part, address, prefixBits, family: family === 4 ? 'ipv4' : 'ipv6' };
    });
  return ranges.every((range) => range !== undefined) ? ranges : undefined;
}

export function blockListOf(ranges: readonly AddressRange[]): BlockList {
  const list = new BlockList();
  for (const { address, prefixBits, family } of ranges) list.addSubnet(address, prefixBits, family);
  return list;
}

/** The widest ranges that can be one network of proxies: an IPv4 /8 and an IPv6 /16. */
const minPrefixBits = { ipv4: 8, ipv6: 16 } as const;
const uniqueLocal = new BlockList();
uniqueLocal.addSubnet('fc00::', 7, 'ipv6');
/** IPv4-mapped IPv6 addresses are ::ffff:0:0/96. A BlockList treats both forms as equal. */
const mappedBits = 96;

/**
 * Whether a range is wider than any network of proxies, such as the whole Internet, half of it, or
 * all IPv4-mapped addresses. The private ranges 10.0.0.0/8 and fc00::/7 are the widest that pass.
 */
export function isTooWide(range: AddressRange): boolean {
  const { address, prefixBits, family } = range;
  if (family === 'ipv4') return prefixBits < minPrefixBits.ipv4;
  if (blockListOf([range]).check('::ffff:0:0', 'ipv6') || isMapped(address))
    return prefixBits < mappedBits + minPrefixBits.ipv4;
  return prefixBits < minPrefixBits.ipv6 && !(prefixBits >= 7 && uniqueLocal.check(address, 'ipv6'));
}

function isMapped(address: string): boolean {
  const mapped = new BlockList();
  mapped.addSubnet('::ffff:0:0', mappedBits, 'ipv6');
  return mapped.check(address, 'ipv6');
}
