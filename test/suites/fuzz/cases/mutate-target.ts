import { asHeaderBytes, mutateText, encodeLoosely, hostileText } from './hostile-text';
import type { Mutation } from './mutation';
import type { RequestParts } from './request-parts';

const hasQuery = ({ query }: RequestParts): boolean => query.length > 0;
const always = (): boolean => true;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const methods = [
  'GET',
  'HEAD',
  'PUT',
  'POST',
  'DELETE',
  'PATCH',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'PROPFIND',
  'SEARCH',
];

/** Mutations of the request line. */
export const targetMutations: readonly Mutation[] = [
  {
    name: 'path-segment',
    weight: 10,
    applies: always,
    apply(parts, random) {
      const segments = parts.path.split('/');
      const at = random.integer(1, segments.length - 1);
      // Mostly the last segment, which is usually an id.
      const chosen = random.chance(0.6) ? segments.length - 1 : at;
      segments[chosen] = encodeLoosely(hostileText(random, segments[chosen]), random);
      parts.path = segments.join('/');
    },
  },
  {
    name: 'path-shape',
    weight: 4,
    applies: always,
    apply(parts, random) {
      const { path } = parts;
      parts.path = random.pick([
        `/${path}`,
        `${path}/`,
        `${path}//`,
        path.replaceAll('/', '\\'),
        path.replaceAll('/', '%2f'),
        path.toUpperCase(),
        `/.${path}`,
        `/x/..${path}`,
        `${path}#fragment`,
        `${path};a=b`,
        `${path}%00`,
        `http://service.example${path}`,
        `https://user:password@[::1]:99${path}`,
        `http://[${path}`,
        `http://a%b${path}`,
        `HTTP:${path}`,
        '*',
        path.slice(1),
        asHeaderBytes(mutateText(path, random)),
        ...[
          '/health/live',
          '/health/ready',
          '/docs/errors',
          '/openapi.json',
          '/demo/pictures/water/x.svg',
          '/',
        ],
      ]);
    },
  },
  {
    name: 'method',
    weight: 3,
    applies: always,
    apply(parts, random) {
      parts.method = random.chance(0.8)
        ? random.pick(methods)
        : random.pick(['get', 'BREW', 'G', 'PUT\u0000', 'GET/', 'M'.repeat(300)]);
    },
  },
  {
    name: 'version',
    weight: 1,
    applies: always,
    apply(parts, random) {
      parts.version = random.pick([
        'HTTP/1.0',
        'HTTP/1.0',
        'HTTP/0.9',
        'HTTP/2.0',
        'HTTP/1.2',
        'http/1.1',
        'HTTP/1',
        'X',
      ]);
    },
  },
  {
    name: 'query-value',
    weight: 14,
    applies: hasQuery,
    apply({ query }, random) {
      const pair = random.pick(query);
      pair[1] = encodeLoosely(hostileText(random, decoded(pair[1])), random);
    },
  },
  {
    name: 'query-name',
    weight: 4,
    applies: always,
    apply({ query }, random) {
      const known = query[0]?.[0] ?? 'limit';
      query.push([encodeLoosely(hostileText(random, known), random), random.pick(['', '1', '%'])]);
    },
  },
  {
    name: 'query-twice',
    weight: 4,
    applies: hasQuery,
    apply({ query }, random) {
      const [name, value] = random.pick(query);
      for (let count = random.pick([1, 1, 2, 500]); count > 0; count -= 1) {
        query.push([
          random.pick([
            name,
            `${name}[]`,
            `${name}[a]`,
            `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`,
          ]),
          value,
        ]);
      }
    },
  },
  {
    name: 'query-many',
    weight: 1,
    applies: always,
    apply({ query }, random) {
      const count = random.pick([100, 1_001, 3_000]);
      const name = random.pick(['a', 'limit', '']);
      for (let number = 0; number < count; number += 1) query.unshift([name + String(number % 1_000), '']);
    },
  },
];
