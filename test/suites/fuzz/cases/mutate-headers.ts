import { asHeaderBytes, hostileText } from './hostile-text';
import type { Mutation } from './mutation';
import type { RequestParts } from './request-parts';

const always = (): boolean => true;
const at = (parts: RequestParts, wanted: string): [name: string, value: string] | undefined =>
  parts.headers.find(([name]) => name.toLowerCase() === wanted);

/** Headers with a meaning for a server, a framework, a proxy or a cache. */
const meaningful: readonly [name: string, values: readonly string[]][] = [
  ['Accept', ['text/html', 'application/xml;q=0', '*/*;q=nonsense', '']],
  [
    'Accept-Encoding',
    ['gzip', 'br', 'deflate', 'identity;q=0', '*;q=0', 'gzip;q=0, br;q=0', 'zstd', 'gzip, '.repeat(200)],
  ],
  ['If-None-Match', ['*', '""', 'W/"a"', '"a", "b"', ','.repeat(500), '"unclosed']],
  ['If-Modified-Since', ['Thu, 01 Jan 2099 00:00:00 GMT', 'yesterday', '0']],
  ['If-Match', ['*', '"a"']],
  ['If-Range', ['"a"']],
  ['Range', ['bytes=0-0', 'bytes=0-,0-,0-', 'bytes=99999-', 'lines=1']],
  ['Cache-Control', ['no-cache', 'only-if-cached']],
  ['Connection', ['close', 'keep-alive', 'Upgrade', 'API-Key', 'close, keep-alive', 'Content-Length']],
  ['Upgrade', ['websocket', 'h2c', 'TLS/1.0']],
  ['HTTP2-Settings', ['AAMAAABkAAQAAP__']],
  ['Expect', ['100-continue', 'miracles', '']],
  [
    'X-Forwarded-For',
    ['127.0.0.1', 'unknown', '1.2.3.4, 5.6.7.8', '::1', '[::1]:80', '999.999.999.999', ','.repeat(300)],
  ],
  ['X-Forwarded-Host', ['evil.example']],
  ['X-Forwarded-Proto', ['https', 'http', 'HTTPS', ',', 'https,http']],
  ['Forwarded', ['for=1.2.3.4;proto=https', 'for="[::1]', ';'.repeat(300)]],
  ['X-HTTP-Method-Override', ['DELETE', 'PUT']],
  ['X-Original-URL', ['/health/live']],
  ['Cookie', ['a=b', '=;='.repeat(100)]],
  ['Authorization', ['Basic Og==', 'Bearer x']],
  ['Origin', ['null', 'https://evil.example']],
  ['Access-Control-Request-Method', ['PUT']],
  ['Trailer', ['Idempotency-Key', 'Content-Length']],
  ['TE', ['trailers', 'chunked']],
  ['Keep-Alive', ['timeout=0', 'max=0']],
  ['Proxy-Connection', ['keep-alive']],
  ['Host', ['evil.example', '', 'a b', '[', 'x'.repeat(3_000)]],
  ['API-Key', ['', 'x']],
  ['API-Secret', ['', 'x']],
  ['Idempotency-Key', ['', ' ', 'x', 'x'.repeat(255), 'x'.repeat(256), 'é', 'a, b']],
  ['X-Request-Id', ['', '<script>', 'x'.repeat(128), 'x'.repeat(129), 'a b', 'é']],
];

/** Mutations of the headers, except credentials and framing. */
export const headerMutations: readonly Mutation[] = [
  {
    name: 'header-known',
    weight: 10,
    applies: always,
    apply(parts, random) {
      const [name, values] = random.pick(meaningful);
      parts.headers.push([name, asHeaderBytes(random.pick(values))]);
    },
  },
  {
    name: 'header-value',
    weight: 8,
    applies: always,
    apply({ headers }, random) {
      const header = random.pick(headers);
      header[1] = asHeaderBytes(hostileText(random, header[1]));
    },
  },
  {
    name: 'header-name',
    weight: 3,
    applies: always,
    apply({ headers }, random) {
      const header = random.pick(headers);
      header[0] = random.pick([
        header[0].toUpperCase(),
        header[0].toLowerCase(),
        `${header[0]} `,
        ` ${header[0]}`,
        header[0].replace('-', '_'),
        `${header[0]}\u0000`,
        asHeaderBytes(hostileText(random, header[0])),
      ]);
    },
  },
  {
    name: 'header-twice',
    weight: 4,
    applies: always,
    apply({ headers }, random) {
      const [name, value] = random.pick(headers);
      const copy: [string, string] = [name, random.chance(0.5) ? value : `${value}x`];
      headers.splice(random.integer(0, headers.length), 0, copy);
    },
  },
  {
    name: 'header-missing',
    weight: 3,
    applies: always,
    apply({ headers }, random) {
      headers.splice(random.integer(0, headers.length - 1), 1);
    },
  },
  {
    name: 'headers-many',
    weight: 1,
    applies: always,
    apply({ headers }, random) {
      const count = random.pick([100, 999, 1_999, 2_001, 3_500]);
      const extra = Array.from({ length: count }, (): [string, string] => ['a', '']);
      if (random.chance(0.5)) headers.unshift(...extra);
      else headers.push(...extra);
    },
  },
  {
    name: 'header-long',
    weight: 1,
    applies: always,
    apply({ headers }, random) {
      headers.push(['X-Long', 'a'.repeat(random.pick([8_000, 15_000, 16_384, 40_000]))]);
    },
  },
  {
    name: 'credentials',
    weight: 7,
    applies: (parts) => at(parts, 'api-key') !== undefined && at(parts, 'api-secret') !== undefined,
    apply(parts, random, world) {
      const key = at(parts, 'api-key')!;
      const secret = at(parts, 'api-secret')!;
      const other = random.pick(random.chance(0.5) ? world.odd : world.environments.map(({ pair }) => pair));
      const choices = [
        () => ([key[1], secret[1]] = [secret[1], key[1]]),
        () => (secret[1] = other.apiSecret),
        () => ([key[1], secret[1]] = [other.apiKey, other.apiSecret]),
        () => ([key[1], secret[1]] = [other.apiKey, other.apiSecret]),
        () => (key[1] = key[1].slice(0, -1)),
        () => (secret[1] = secret[1].replace('test', 'production')),
        () => (secret[1] += ' '),
      ];
      random.pick(choices)();
    },
  },
];
