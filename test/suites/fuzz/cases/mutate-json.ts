import { mutateText, hostileText } from './hostile-text';
import type { Mutation } from './mutation';
import { bodyBytes, type RequestParts } from './request-parts';

const isJson = ({ body }: RequestParts): boolean => body.media === 'json';

function members(parts: RequestParts): [key: string, value: string][] {
  if (parts.body.media !== 'json') throw new Error('the body is not JSON');
  return parts.body.members;
}

/** JSON values as text, including some that no serializer writes. */
const values: readonly string[] = [
  ...[
    'null',
    'true',
    'false',
    '0',
    '-0',
    '-1',
    '1e2',
    '1E400',
    '-1e400',
    '1e-7',
    '0.1',
    '1.10',
    '1.005',
    '25.001',
  ],
  ...[
    '9007199254740993',
    '9223372036854775808',
    '18446744073709551616',
    '9'.repeat(300),
    '1.'.padEnd(300, '0') + '1',
  ],
  ...[
    '[]',
    '{}',
    '[[]]',
    '[1]',
    '["25.00"]',
    '{"a":1}',
    '{"$ref":"#"}',
    '{"__proto__":{"amount":1}}',
    '{"toString":1}',
  ],
  ...['""', '"\\u0000"', '"\\ud800"', '"\\udc00a"', '"\\uD83D\\uDE00"', '"a\\nb"', '"\\u202e"', '"\u2028"'],
  // invalid JSON
  ...[
    'NaN',
    'Infinity',
    'undefined',
    "'25'",
    '+1',
    '01',
    '.5',
    '1.',
    '0x10',
    '"unclosed',
    '"\t"',
    '// comment',
    '',
  ],
  ...['[1,]', '{"a":1,}', '"\\x41"', 'nul', '1 2', 'tRue', '/*a*/1'],
];

const deep = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth);

/** Mutations of a JSON body. */
export const jsonMutations: readonly Mutation[] = [
  {
    name: 'json-value',
    weight: 14,
    applies: (parts) => isJson(parts) && members(parts).length > 0,
    apply(parts, random) {
      const member = random.pick(members(parts));
      member[1] = random.chance(0.5)
        ? random.pick(values)
        : JSON.stringify(hostileText(random, member[1].replace(/^"|"$/g, '')));
    },
  },
  {
    name: 'json-key',
    weight: 4,
    applies: isJson,
    apply(parts, random) {
      const known = members(parts)[0]?.[0] ?? '"a"';
      members(parts).push([JSON.stringify(hostileText(random, known.slice(1, -1))), random.pick(values)]);
    },
  },
  {
    name: 'json-twice',
    weight: 4,
    applies: (parts) => isJson(parts) && members(parts).length > 0,
    apply(parts, random) {
      const [key, value] = random.pick(members(parts));
      const spelled = random.chance(0.3)
        ? key.replace(/[a-z]/, (a) => `\\u00${a.charCodeAt(0).toString(16)}`)
        : key;
      members(parts).push([spelled, random.chance(0.5) ? value : random.pick(values)]);
    },
  },
  {
    name: 'json-missing',
    weight: 3,
    applies: (parts) => isJson(parts) && members(parts).length > 0,
    apply(parts, random) {
      members(parts).splice(random.integer(0, members(parts).length - 1), 1);
    },
  },
  {
    name: 'json-many',
    weight: 1,
    applies: isJson,
    apply(parts, random) {
      const count = random.pick([500, 2_000, 6_000]);
      for (let number = 0; number < count; number += 1)
        members(parts).push([`"${number.toString(36)}"`, '0']);
    },
  },
  {
    name: 'json-deep',
    weight: 2,
    applies: isJson,
    apply(parts, random) {
      const depth = random.pick([10, 1_000, 5_000, 12_000]);
      members(parts).push(['"deep"', random.chance(0.5) ? deep('[', ']', depth) : deep('{"a":', '}', depth)]);
    },
  },
  {
    name: 'json-text',
    weight: 5,
    applies: isJson,
    apply(parts, random) {
      const text = bodyBytes(parts.body).toString('utf8');
      parts.body = {
        media: 'bytes',
        bytes: random.pick([
          () => Buffer.from(mutateText(text, random)),
          () => Buffer.from(`\ufeff${text}`),
          () => Buffer.from(text, 'utf16le'),
          () => Buffer.from(`[${text}]`),
          () => Buffer.from(text + text),
          () => Buffer.from(`${text}\u0000`),
          () => Buffer.from(`${' '.repeat(20_000)}${text}`),
          () => Buffer.from(deep('[', ']', 16_000)),
          () => Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0xfe, 0xc0, 0xaf])]),
          () =>
            Buffer.from(
              text.replace(/"[^"]*"/, (quoted) => `"${quoted}\u00e9"`),
              'latin1',
            ),
          () => Buffer.alloc(0),
          () => Buffer.from('null'),
          () => Buffer.from('"text"'),
          () => Buffer.alloc(random.pick([32_767, 32_768, 32_769, 70_000]), 0x20),
        ])(),
      };
    },
  },
];
