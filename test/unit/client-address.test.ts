import { BlockList } from 'node:net';

import { clientOf, networkOf, peerOf } from '../../src/http/request/client-address';

const proxies = new BlockList();
proxies.addSubnet('10.0.0.0', 8, 'ipv4');
proxies.addSubnet('2001:db8:ffff::', 48, 'ipv6');

/** @param forwarded the values of X-Forwarded-For, as Node joins them */
function addressOf(peer: string | undefined, ...forwarded: string[]): string {
  const headers = forwarded.length === 0 ? {} : { 'x-forwarded-for': forwarded.join(', ') };
  return networkOf(clientOf({ headers }, peerOf({ remoteAddress: peer }, proxies)).address);
}

describe('a request from outside the trusted ranges', () => {
  test.each([
    ['without the header', []],
    ['with a forged header', ['203.0.113.9']],
    ['with a header that names a trusted proxy', ['203.0.113.9, 10.0.0.1']],
  ])('%s has the address of its connection', (_what, forwarded) => {
    expect(addressOf('198.51.100.7', ...forwarded)).toBe('198.51.100.7');
  });
});

describe('a request from a trusted proxy', () => {
  test.each<[string, string[], string]>([
    ['without the header', [], '10.0.0.1'],
    ['with an empty header', [''], '10.0.0.1'],
    ['with one address', ['203.0.113.9'], '203.0.113.9'],
    ['with an address that the client put before its own', ['192.0.2.1, 203.0.113.9'], '203.0.113.9'],
    ['with the header twice', ['192.0.2.1', '203.0.113.9'], '203.0.113.9'],
    ['through two proxies', ['203.0.113.9, 10.2.3.4'], '203.0.113.9'],
    ['through two proxies, with a forged start', ['10.9.9.9, 203.0.113.9, 10.2.3.4'], '203.0.113.9'],
    ['of a client that is in the trusted range itself', ['10.7.7.7, 10.2.3.4'], '10.7.7.7'],
    ['with a port', ['203.0.113.9:4711'], '203.0.113.9'],
    ['with blanks and tabs', [' \t203.0.113.9 '], '203.0.113.9'],
  ])('%s', (_what, forwarded, expected) => {
    expect(addressOf('10.0.0.1', ...forwarded)).toBe(expected);
  });

  test.each([
    'unknown',
    '_hidden',
    '203.0.113.256',
    '203.0.113',
    '0x7f000001',
    '010.0.0.1',
    '[203.0.113.9]',
    '203.0.113.9:4711:1',
    'for=203.0.113.9',
    '[2001:db8::1',
    '::1]:80',
    '2001:db8::1::2',
    '203.0.113.9,',
  ])('with the invalid entry %p has the address of the proxy that wrote it', (entry) => {
    expect(addressOf('10.0.0.1', `192.0.2.1, ${entry}`)).toBe('10.0.0.1');
    expect(addressOf('10.0.0.1', `192.0.2.1, ${entry}, 10.2.3.4`)).toBe('10.2.3.4');
  });
});

test('the search through trusted proxies ends after ten of them', () => {
  const proxyChain = Array.from({ length: 12 }, (_, index) => `10.0.0.${index + 2}`);
  expect(addressOf('10.0.0.1', '203.0.113.9', ...proxyChain)).toBe('10.0.0.4');
});

describe('an IPv6 address', () => {
  test.each([
    ['2001:db8:0:1:2:3:4:5', '2001:db8:0:1::/64'],
    ['2001:db8:0:1::', '2001:db8:0:1::/64'],
    ['2001:0DB8:0000:0001:0:0:0:9', '2001:db8:0:1::/64'],
    ['[2001:db8:0:1::9]', '2001:db8:0:1::/64'],
    ['[2001:db8:0:1::9]:443', '2001:db8:0:1::/64'],
    ['2001:db8:0:2::9', '2001:db8:0:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('%s counts as its /64 network', (address, network) => {
    expect(addressOf('10.0.0.1', address)).toBe(network);
  });

  test.each([
    '::ffff:203.0.113.9',
    '::FFFF:CB00:7109',
    '0:0:0:0:0:ffff:203.0.113.9',
    '[::ffff:203.0.113.9]:80',
  ])('%s is an IPv4 address in another notation', (address) => {
    expect(addressOf(address)).toBe('203.0.113.9');
    expect(addressOf('::ffff:10.0.0.1', address)).toBe('203.0.113.9');
  });

  test('of a trusted proxy makes the service use the header', () => {
    expect(addressOf('2001:db8:ffff::1', '203.0.113.9')).toBe('203.0.113.9');
    expect(addressOf('2001:db8:fffe::1', '203.0.113.9')).toBe('2001:db8:fffe:0::/64');
  });
});

test('a closed connection has no address', () => {
  expect(addressOf(undefined, '203.0.113.9')).toBe('unknown');
});
