import fc from 'fast-check';

import { duplicateMembers, isNestedDeeperThan } from '../../src/http/request/duplicate-members';
import * as pointers from '../../src/http/request/json-pointer';
import { randomCases } from '../support/full-run';

/** JSON as text: an object is a list of members, so that a name can occur twice. */
type Written = string | number | boolean | null | Written[] | { members: [name: string, value: Written][] };

const names = fc.oneof(
  fc.constantFrom('a', 'b', '__proto__', 'a/b', '~', '0', ':', '"', '\\', '{', '\ud800', ''),
  fc.string(),
);

const { written } = fc.letrec<{ written: Written }>((tie) => ({
  written: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.oneof(fc.string(), fc.constantFrom('"a":1,"a":2', '\\"', '://'), fc.integer(), fc.constant(null)),
    fc.array(tie('written'), { maxLength: 4 }),
    fc.array(fc.tuple(names, tie('written')), { maxLength: 5 }).map((members) => ({ members })),
  ),
}));

const escaped = (text: string): string =>
  `"${[...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`;

function write(value: Written, escape: () => boolean): string {
  const quote = (text: string): string => (escape() ? escaped(text) : JSON.stringify(text));
  if (typeof value === 'string') return quote(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => write(item, escape)).join(' ,\n')}]`;
  return `{${value.members.map(([name, item]) => `${quote(name)}\t: ${write(item, escape)}`).join(' , ')}}`;
}

/** The duplicate names of each object, in text order. */
function expected(value: Written, path: string, found: string[]): string[] {
  if (typeof value !== 'object' || value === null) return found;
  const seen = new Map<string, number>();
  const members = Array.isArray(value)
    ? value.map((item, index): [string, Written] => [String(index), item])
    : value.members;
  for (const [name, item] of members) {
    const pointer = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const before = seen.get(name) ?? 0;
    if (before === 1) found.push(pointer);
    seen.set(name, before + 1);
    expected(item, pointer, found);
  }
  return found;
}

test('duplicate members of any JSON are found at every depth, even if their names are escaped', () => {
  fc.assert(
    fc.property(written, fc.infiniteStream(fc.boolean()), (value, escapes: Iterator<boolean>) => {
      const text = write({ members: [['body', value]] }, () => escapes.next().value === true);
      expect(duplicateMembers(text)).toEqual([...new Set(expected(value, '/body', []).slice(0, 20))]);
    }),
    { numRuns: randomCases(5_000) },
  );
});

test.each<[string, string[]]>([
  ['{"amount":"1","user_hash":"a:b","name":"amount"}', []],
  ['{"amount":"1","amount":"1"}', ['/amount']],
  ['{"user_hash":"a","user_h\\u0061sh":"b"}', ['/user_hash']],
  ['{"a":1,"b":2,"b":3,"a":4,"a":5}', ['/b', '/a']],
  ['{"a":[{"b":1},{"b":1,"b":2}]}', ['/a/1/b']],
  ['{"__proto__":1,"__proto__":2}', ['/__proto__']],
  ['{"toString":1,"constructor":1}', []],
  // JSON.parse of Node.js 24.21 misreads this escaped name as a backslash.
  ['{"{":1,"\\u007b":2}', ['/{']],
])('%s', (text, pointers) => {
  expect(duplicateMembers(text)).toEqual(pointers);
});

/**
 * The number of JSON Pointers that are built. This is the expensive step; counts are stable, times
 * are not.
 */
function countPointers(find: () => void): number {
  const spy = jest.spyOn(pointers, 'jsonPointer');
  try {
    find();
    return spy.mock.calls.length;
  } finally {
    spy.mockRestore();
  }
}

test.each<[string, string, number]>([
  ['one name 3,353 times below 3,200 levels', nested(3_200, `{${repeat('"":1', 3_353)}}`), 1],
  ['2,700 names twice', `{${twice(2_700)}}`, 20],
  ['2,700 names twice below 30 levels', nested(30, `{${twice(2_700)}}`), 20],
  [
    '1,500 objects of one name below a long name',
    `{"${'a'.repeat(8_000)}":{${repeat('"":{"":1,"":1}', 1_500)}}}`,
    20,
  ],
])('%s need few pointers', (_what, text, most) => {
  let found: string[] = [];
  const built = countPointers(() => (found = duplicateMembers(text)));
  expect(found.length).toBeGreaterThan(0);
  expect(found.join('').length).toBeLessThan(16_384);
  expect(built).toBeLessThanOrEqual(most);
});

test.each<[string, boolean, string]>([
  ['32 objects', false, nested(31, '{}')],
  ['33 objects', true, nested(32, '{}')],
  ['33 arrays', true, '['.repeat(33) + ']'.repeat(33)],
  ['many arrays beside each other', false, `[${repeat('[[]]', 5_000)}]`],
  ['brackets in a string', false, `{"a":"${'['.repeat(100)}\\"${'{'.repeat(100)}"}`],
  ['a string without an end', false, `{"a":"${'['.repeat(100)}\\`],
])('%s are nested deeper than 32 levels: %s', (_what, isDeeper, text) => {
  expect(isNestedDeeperThan(32, text)).toBe(isDeeper);
});

function nested(levels: number, innermost: string): string {
  return '{"":'.repeat(levels) + innermost + '}'.repeat(levels);
}

function repeat(text: string, count: number): string {
  return Array<string>(count).fill(text).join(',');
}

function twice(count: number): string {
  return Array.from({ length: count }, (_, index) => `"${index}":1,"${index}":2`).join(',');
}
